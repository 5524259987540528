import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { launch, type LaunchedProcess } from '../processes/launch.js';
import { findFreePort } from '../processes/ports.js';
import { processStartTime } from '../processes/process-list.js';
import { type DatabaseRole, databaseRoles } from '../migrate/roles.js';
import { postgresProgram, postgresUrl, startEmbeddedPostgres, urlForRole } from './index.js';

/** The tests share one cluster, and end its server in orderly and disorderly ways. */
describe('embedded Postgres', () => {
  let folder: string;
  let server: LaunchedProcess & { url: string };
  const start = async () => {
    server = await startEmbeddedPostgres({ folder, port: await findFreePort(), password: "a pass'word" });
  };
  const query = async (sql: string) => {
    const client = new pg.Client(server.url);
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  };
  const serverPid = async () =>
    Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0]);

  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'embedded-postgres-')), 'cluster');
    // The remains of an interrupted first start.
    await mkdir(`${folder}.new/base`, { recursive: true });
    await start();
  });
  afterAll(async () => {
    await server.stop();
    await rm(join(folder, '..'), { recursive: true, force: true });
  });

  it('has a database of its own, in UTF-8 and UTC, which sorts alike on every machine', async () => {
    await query('CREATE TABLE kept AS SELECT 1 AS one');
    const [settings] = await query(
      "SELECT current_database() AS name, current_setting('TimeZone') AS zone, current_setting('server_encoding') AS encoding",
    );
    expect(settings).toEqual({ name: 'countinghouse', zone: 'UTC', encoding: 'UTF8' });
    const sorted = await query(
      "SELECT string_agg(c, '' ORDER BY c) AS sorted FROM unnest(ARRAY['b', 'B', 'a', 'ä']) c",
    );
    expect(sorted).toEqual([{ sorted: 'Babä' }]);
  });

  it('refuses connections without the password, and only its owner can read its files', async () => {
    const wrong = new URL(server.url);
    wrong.password = 'guess';
    await expect(new pg.Client(wrong.href).connect()).rejects.toThrow('password authentication failed');
    expect((await stat(folder)).mode & 0o077).toBe(0);
  });

  it('writes no parameters of statements to its log', async () => {
    const log: string[] = [];
    const path = `${folder}-log`;
    const program = postgresProgram({ folder: path, port: await findFreePort(), password: 'secret' });
    const launched = launch(program, (line) => log.push(line));
    const client = new pg.Client(postgresUrl({ port: (await launched.readyPort)!, password: 'secret' }));
    await client.connect();
    await client.query('CREATE TABLE people (email text UNIQUE)');
    const register = () => client.query('INSERT INTO people VALUES ($1)', ['mary@example.com']);
    await register();
    await expect(register()).rejects.toThrow('people_email_key');
    await expect(client.query(`SELECT 'mary@example.com'::int`)).rejects.toThrow('mary@example.com');
    await expect(client.query('SELECT $1::text::int', ['mary@example.com'])).rejects.toThrow(
      'mary@example.com',
    );
    await client.end();
    await launched.stop();
    expect(log.join('\n')).toContain('database system is shut down');
    expect(log.join('\n')).not.toMatch(/mary|people/);
  });

  it('creates no cluster after it was told to stop', async () => {
    let path: string;
    let isTooLate: boolean;
    let tries = 0;
    do {
      path = `${folder}-unmade-${++tries}`;
      const launched = launch(
        postgresProgram({ folder: path, port: await findFreePort(), password: 'secret' }),
      );
      while (!existsSync(`${path}.new/base`) && !existsSync(path)) await pause(5);
      // If this process stood still meanwhile, the cluster has been created already.
      isTooLate = existsSync(path);
      await launched.stop();
    } while (isTooLate);
    // A cluster that was created later would replace the cluster of the next start, which has another password.
    expect(existsSync(path)).toBe(false);
  });

  it('keeps its data when it is stopped and started', async () => {
    const pid = await serverPid();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(await processStartTime(pid)).toBeUndefined();
    await start();
    expect(await query('SELECT one FROM kept')).toEqual([{ one: 1 }]);
  });

  it('lets each program log in with its role, even to a cluster that was created before the roles existed', async () => {
    for (const name of Object.values(databaseRoles)) await query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    await server.stop();
    await start();
    for (const role of Object.keys(databaseRoles) as DatabaseRole[]) {
      const client = new pg.Client(urlForRole(role, server.url));
      await client.connect();
      const { rows } = await client.query(
        'SELECT current_user AS name, rolsuper FROM pg_roles WHERE rolname = current_user',
      );
      await client.end();
      expect(rows).toEqual([{ name: databaseRoles[role], rolsuper: false }]);
    }
  });

  it('stops the server that a killed process left running, and starts a new one', async () => {
    const left = await serverPid();
    process.kill(server.pid!, 'SIGKILL');
    await server.exited;
    expect(await processStartTime(left)).toBeDefined();

    await start();
    expect(await processStartTime(left)).toBeUndefined();
    expect(await query('SELECT one FROM kept')).toEqual([{ one: 1 }]);
  });

  it('recovers when the server itself was killed', async () => {
    process.kill(await serverPid(), 'SIGKILL');
    expect((await server.exited).code).toBe(1);
    await start();
    expect(await query('SELECT one FROM kept')).toEqual([{ one: 1 }]);
  });

  it('does not stop another program that has the pid of an ended server', async () => {
    await server.stop();
    await writeFile(join(folder, 'postmaster.pid'), `${process.pid}\n${folder}\n`);
    await start();
    expect(await query('SELECT one FROM kept')).toEqual([{ one: 1 }]);
  });

  it('says in one line why it cannot start', async () => {
    const port = Number(new URL(server.url).port);
    const second = startEmbeddedPostgres({ folder: `${folder}-2`, port, password: 'secret' });
    await expect(second).rejects.toThrow(/^postgres did not start: could not create any TCP\/IP/);
  });
});
