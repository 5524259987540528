import { execFile } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePort } from '#apps/cli';
import { countinghouse, endCommands, type CommandRun } from '../support/command.js';
import { allGone, descendantsOf } from '../support/processes.js';
import { untilReady } from '../support/until-ready.js';

/** `npm start` as a person meets it: one story, since every start of it all takes seconds. */
describe('countinghouse start', () => {
  let dataDir: string;
  let port: number;
  let running: CommandRun;
  const start = () => countinghouse(['start', '--no-demo'], { DATA_DIR: dataDir, PORT: String(port) });
  const api = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const post = (path: string, body: object) =>
    api(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const pidOf = async (part: string) => {
    const found = (await descendantsOf(running.child.pid!)).filter(({ commandLine }) =>
      commandLine.includes(part),
    );
    if (!found[0]) throw new Error(`No process of ${part}`);
    return found[0].pid;
  };

  const portOfPostgres = async () => {
    const { postgres } = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8')) as {
      postgres: number;
    };
    return postgres;
  };

  const user = { email: 'keeper@example.com', password: 'a long enough password' };

  beforeAll(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'start-')), 'data');
    port = await findFreePort();
    running = start();
    await running.prints('Stop with Ctrl-C');
  });
  afterAll(async () => {
    await endCommands();
    await rm(join(dataDir, '..'), { recursive: true, force: true });
  });

  it('says where the API is once it answers', async () => {
    expect(running.output.text).toContain(`API            http://127.0.0.1:${port}\n`);
    expect((await api('/v1/health')).status).toBe(200);
    expect((await post('/v1/auth/register', { ...user, name: 'Keeper' })).status).toBe(201);
    expect((await post('/v1/auth/register', { ...user, name: 'Keeper' })).status).toBe(409);
  });

  it('says where each process tells its operators of itself', async () => {
    const pages = running.output.text.matchAll(/(\w+) (http:\/\/127\.0\.0\.1:\d+)\/metrics\n/g);
    const found = [...pages].map(([, name, url]) => ({ name, url }));
    expect(found.map(({ name }) => name)).toEqual(['eventstore', 'projector', 'saga', 'api']);
    for (const { url } of found) {
      await untilReady(() => fetch(`${url}/ready`));
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('process_cpu_seconds_total');
    }
  });

  it('lets no webhook be sent to its own ports', async () => {
    const { tokens } = (await (await post('/v1/auth/login', user)).json()) as {
      tokens: { accessToken: string };
    };
    const { eventStore } = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8')) as {
      eventStore: number;
    };
    const ops = [...running.output.text.matchAll(/:(\d+)\/metrics$/gm)].map(([, number]) => Number(number));
    expect(ops).toHaveLength(4);
    const create = (target: number, host: string) =>
      api('/v1/webhooks', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.accessToken}` },
        body: JSON.stringify({ url: `http://${host}:${target}/v1/customers`, events: ['*'] }),
      });
    for (const own of [port, eventStore, await portOfPostgres(), ...ops])
      for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
        const refused = await create(own, host);
        expect([refused.status, ((await refused.json()) as { details: unknown }).details]).toEqual([
          400,
          [{ field: 'url', message: 'must not point to a port of Countinghouse itself' }],
        ]);
      }
    expect((await create(await findFreePort(), '127.0.0.1')).status).toBe(201);
  });

  it('lets psql at its database by the commands in docs/operating.md', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
    const commands = /```bash embedded-postgres\n([\s\S]*?)```/.exec(page)![1]!;
    // What psql does with its environment, in place of psql, which need not be installed.
    const client = `import('${import.meta.resolve('pg')}').then(async ({ default: { Client } }) => {
      const client = new Client();
      await client.connect();
      const { rows } = await client.query(process.argv[2]);
      console.log(Number(rows[0].count) > 0 ? 'has events' : 'has none');
      await client.end();
    })`;
    const script = `psql() { node -e "$CLIENT" -- "$@"; }\nset -e\n${commands}`;
    const env = { ...process.env, DATA_DIR: dataDir, CLIENT: client };
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    expect(stdout).toBe('has events\n');
  });

  it('refuses a data folder that is in use, in one line', async () => {
    const second = countinghouse(['start'], { DATA_DIR: dataDir, PORT: '0' });
    expect(await second.ended).toBe(1);
    expect(second.output.text).toMatch(
      new RegExp(
        `^Starting Countinghouse …\nThe data folder ${dataDir} is in use by another Countinghouse .*\n$`,
      ),
    );
  });

  it('refuses a port that is taken, in one line, and leaves nothing running', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const taken = (listener.address() as AddressInfo).port;
    for (const [setting, settings] of [
      ['PORT', { PORT: String(taken) }],
      ['EVENTSTORE_PORT', { PORT: '0', EVENTSTORE_PORT: String(taken) }],
    ] as const) {
      const other = countinghouse(['start'], { DATA_DIR: `${dataDir}-other`, ...settings });
      expect(await other.ended).toBe(1);
      expect(other.output.text).toBe(
        `Starting Countinghouse …\nPort ${taken} is taken; stop what listens there, or set ${setting} to another\n`,
      );
    }
    listener.close();
  });

  it('refuses a wrong setting, in one line that names it', async () => {
    const wrong = countinghouse(['start'], { DATA_DIR: dataDir, PORT: 'eighty' });
    expect(await wrong.ended).toBe(1);
    expect(wrong.output.text).toBe(
      'Wrong setting: PORT is "eighty" but must be a whole number from 0 to 65535\n',
    );
  });

  it('refuses a CHROME_PATH that is no program, in one line', async () => {
    const wrong = countinghouse(['start'], {
      DATA_DIR: dataDir,
      PORT: '0',
      CHROME_PATH: import.meta.filename,
    });
    expect(await wrong.ended).toBe(1);
    expect(wrong.output.text).toBe(
      `Starting Countinghouse …\nWrong setting: CHROME_PATH is "${import.meta.filename}" but must be an executable file\n`,
    );
  });

  it('brings back an API and a database that were killed', async () => {
    process.kill(await pidOf('programs/api.js'), 'SIGKILL');
    await running.prints('api ended unexpectedly (SIGKILL)');
    await running.prints('api runs again');
    expect((await api('/v1/health')).status).toBe(200);

    process.kill(await pidOf('programs/embedded-postgres.js'), 'SIGKILL');
    await running.prints('postgres runs again');
    await running.prints('eventstore ended (exit code 1), starting it again when postgres runs');
    await running.prints('eventstore runs again');
    // Whatever else could not go on without them.
    for (const [, name] of running.output.text.matchAll(/^(\w+) ended /gm))
      await running.prints(`${name} runs again`);
    // None of them is at fault.
    expect(running.output.text).not.toMatch(/starting it again in 1 s/);
    expect((await post('/v1/auth/login', user)).status).toBe(200);
  });

  it('stops everything on SIGTERM, exits with 0 and leaves no process behind', async () => {
    const processes = await descendantsOf(running.child.pid!);
    expect(processes.length).toBeGreaterThanOrEqual(6);
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(running.output.text).toMatch(/Stopping …\nStopped\n$/);
    // One that is left behind ends by itself after 15 s.
    await allGone(processes, 10_000);
    expect(await readdir(dataDir)).not.toContain('lock');
  });

  it('has not written the address of who registered twice to the log of its database', async () => {
    const log = await readFile(join(dataDir, 'logs/postgres.log'), 'utf8');
    expect(log).toContain('database system is shut down');
    expect(log).not.toMatch(/keeper@example\.com|users_email_key/);
  });

  it('has kept the data at the next start, and ends with its supervisor even when that is killed', async () => {
    const migrations = () => readFile(join(dataDir, 'logs/migrate.log'), 'utf8');
    const migrated = await migrations();
    running = start();
    await running.prints('Stop with Ctrl-C');
    expect((await post('/v1/auth/login', user)).status).toBe(200);
    // The same build has nothing to migrate, and does not load the migrations to see so.
    expect(await migrations()).toBe(migrated);

    const processes = await descendantsOf(running.child.pid!);
    const supervisor = await pidOf('programs/cli.js start');
    process.kill(supervisor, 'SIGKILL');
    expect(await running.ended).toBe(128 + 9);
    await allGone(processes);
  });

  it('starts on what a killed one has left, migrates for another build, and stops when the one who started it is gone', async () => {
    await writeFile(join(dataDir, 'postgres/countinghouse-migrated'), 'another build');
    running = start();
    await running.prints('Stop with Ctrl-C');
    expect((await post('/v1/auth/login', user)).status).toBe(200);
    expect(await readFile(join(dataDir, 'logs/migrate.log'), 'utf8')).toMatch(/The tables are up to date\n$/);

    const processes = await descendantsOf(running.child.pid!);
    running.child.kill('SIGKILL');
    await allGone(processes);
    expect(await readdir(dataDir)).not.toContain('lock');
  });
});
