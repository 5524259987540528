import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TraceCollector } from '../../../test/support/trace-collector.js';
import { Transcript } from '../../../test/support/transcript.js';

const RUNTIME = pathToFileURL(join(process.cwd(), 'dist/libs/kernel/runtime/index.js')).href;

const unfinished = new Set<ChildProcess>();

/** Runs a service as a separate process. `source` is the expression of its start function. */
function run(
  source: string,
  { env = {}, supervised = false, before = '' }: { env?: object; supervised?: boolean; before?: string } = {},
) {
  const program = `${before}; const { runProcess } = await import(${JSON.stringify(RUNTIME)}); await runProcess('test', ${source});`;
  const { NODE_OPTIONS: _jests, ...ours } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...ours, LOG_LEVEL: 'info', ...env, ...(supervised ? { SUPERVISED: '1' } : {}) },
    stdio: supervised ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  unfinished.add(child);
  child.once('exit', () => unfinished.delete(child));
  const output = new Transcript();
  const errors = new Transcript();
  child.stdout!.on('data', (chunk: Buffer) => output.add(chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => errors.add(chunk.toString()));
  // 'close' waits for the output; after we end the channel to it, it never comes.
  const ended = once(child, supervised ? 'exit' : 'close').then(
    ([code, signal]) => (code ?? signal) as number | string,
  );
  return { child, output, errors, ended };
}

/** The entries that a process has logged. */
function entriesOf({ text }: Transcript): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A service that prints its events, and runs until it is closed. */
const SERVICE = `async () => {
  const timer = setInterval(() => undefined, 1_000_000);
  return { port: 7, close: async () => { clearInterval(timer); process.stdout.write('closed'); } };
}`;
/** A service that receives requests from others. It prints when it must drain. */
const SERVING = `async () => {
  const timer = setInterval(() => undefined, 1_000_000);
  let ready = true;
  return {
    port: 7,
    ready: async () => ({ ready, checks: { part: { status: ready ? 'ok' : 'unavailable' } } }),
    drain: () => process.stdout.write('draining'),
    close: async () => { clearInterval(timer); process.stdout.write('closed'); },
  };
}`;
/** A service that never finishes its start. */
const STARTING = `async () => { process.stdout.write('starting'); await new Promise((r) => setTimeout(r, 1e8)); }`;

describe('a process of ours', () => {
  afterEach(() => {
    for (const child of unfinished) child.kill('SIGKILL');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'says that it listens, and on %s closes and exits with 0',
    async (signal) => {
      const { child, output, ended } = run(SERVICE);
      await output.until('"event":"listening"');
      await output.until('\n');
      child.kill(signal);
      expect(await ended).toBe(0);
      expect(output.text).toContain('closed');
    },
  );

  it('waits until it may begin, while its supervisor holds it back', async () => {
    const before = `process.on('message', () => process.stdout.write('told '))`;
    const { child, output, ended } = run(
      `async () => { process.stdout.write('starting'); throw new Error('done'); }`,
      {
        supervised: true,
        env: { START_HELD: '1' },
        before: `${before}; process.on('newListener', (event) => event === 'message' && process.stdout.write('held '))`,
      },
    );
    await output.until('held ');
    child.send('begin');
    expect(await ended).toBe(1);
    expect(output.text).toMatch(/^held told starting/);
  });

  it('ends when it is told to, while its supervisor holds it back', async () => {
    const { child, output, ended } = run(SERVICE, {
      supervised: true,
      env: { START_HELD: '1' },
      before: `process.on('newListener', (event) => event === 'message' && process.stdout.write('held '))`,
    });
    await output.until('held ');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output.text).not.toContain('listening');
    expect(output.text).not.toContain('closed');
  });

  it('says on one line what setting is wrong, and exits with 1', async () => {
    const { output, errors, ended } = run(SERVICE, { env: { PORT: 'many' } });
    expect(await ended).toBe(1);
    expect([entriesOf(output), errors.text]).toEqual([
      [
        {
          level: 60,
          service: 'test',
          time: expect.any(String),
          msg: 'Wrong setting: PORT is "many" but must be a whole number from 0 to 65535',
        },
      ],
      '',
    ]);
  });

  it('says why it could not be started, and exits with 1', async () => {
    const { output, errors, ended } = run(`async () => { throw new Error('no database\\nat all'); }`, {
      env: { LOG_LEVEL: 'silent' },
    });
    expect(await ended).toBe(1);
    expect(entriesOf(output)).toMatchObject([
      { level: 60, msg: 'could not start', err: { message: 'no database\nat all' } },
    ]);
    expect(errors.text).toBe('');
  });

  it('writes nothing but entries of the log, each with time, level, service and message', async () => {
    const { child, output, errors, ended } = run(`async (settings, logger) => {
      const timer = setInterval(() => undefined, 1_000_000);
      process.emitWarning('this is old');
      logger.info('working');
      return { port: 7, close: async () => clearInterval(timer) };
    }`);
    await output.until('"event":"listening"');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const entries = entriesOf(output);
    for (const entry of entries)
      expect(entry).toEqual({
        ...entry,
        level: expect.any(Number),
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        service: 'test',
        msg: expect.any(String),
      });
    const messages = entries.map(({ msg }) => msg).sort();
    expect(messages).toEqual(['Node warns', 'listening', 'shutting down', 'working']);
    expect(errors.text).toBe('');
  });

  it('closes and exits with 1 when it cannot go on', async () => {
    const { output, ended } = run(`async () => ({
      close: async () => void process.stdout.write('closed'),
      failed: new Promise((_, reject) => setImmediate(() => reject(new Error('lost the lock')))),
    })`);
    expect(await ended).toBe(1);
    expect(output.text).toContain('lost the lock');
    expect(output.text).toContain('closed');
  });

  it('exits with 1 also when closing never ends and nothing else keeps it', async () => {
    const { ended } = run(`async () => ({
      close: () => new Promise(() => undefined),
      failed: new Promise((_, reject) => setImmediate(() => reject(new Error('lost the lock')))),
    })`);
    expect(await ended).toBe(1);
  });

  it.each([
    ['rejection', `Promise.reject(new Error('nobody caught me'))`],
    ['error', `setImmediate(() => { throw new Error('nobody caught me'); })`],
  ])('logs an unhandled %s and exits with 1', async (_, happening) => {
    const { output, ended } = run(
      `async () => { setInterval(() => 0, 1e6); ${happening}; return { close: async () => 0 }; }`,
    );
    expect(await ended).toBe(1);
    const line = output.text.split('\n').find((one) => one.includes('nobody caught me'));
    expect(JSON.parse(line!)).toMatchObject({
      level: 60,
      service: 'test',
      err: { message: 'nobody caught me' },
    });
  });

  describe('with a port for its operators', () => {
    const OPS = { OPS_PORT: '0' };
    const opsOf = async ({ output }: ReturnType<typeof run>) => {
      await output.until('"opsPort"');
      const { opsPort } = JSON.parse(output.text.split('\n').find((line) => line.includes('opsPort'))!);
      return (path: string) => fetch(`http://127.0.0.1:${opsPort}${path}`);
    };

    it('says there that it runs and is ready, and what it has measured, and nothing else', async () => {
      const running = run(SERVING, { env: OPS });
      const get = await opsOf(running);
      expect(await (await get('/health')).json()).toEqual({ status: 'ok' });
      const ready = await get('/ready');
      expect(ready.status).toBe(200);
      expect(await ready.json()).toEqual({ status: 'ok', checks: { part: { status: 'ok' } } });
      const metrics = await get('/metrics');
      expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(await metrics.text()).toMatch(/^process_cpu_seconds_total \d/m);
      expect((await get('/nothing')).status).toBe(404);
      running.child.kill('SIGTERM');
      running.child.kill('SIGTERM');
      expect(await running.ended).toBe(0);
    });

    it('is not ready from SIGTERM on, and serves on until its time to drain is over or it is told again', async () => {
      const running = run(SERVING, { env: { ...OPS, DRAIN_MS: '600000' } });
      const get = await opsOf(running);
      running.child.kill('SIGTERM');
      await running.output.until('draining');
      const ready = await get('/ready');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toEqual({
        status: 'unavailable',
        checks: { process: { status: 'unavailable', message: 'shutting down' } },
      });
      expect((await get('/health')).status).toBe(200);
      expect(running.output.text).not.toContain('closed');
      running.child.kill('SIGTERM');
      expect(await running.ended).toBe(0);
      expect(running.output.text).toContain('closed');
    });

    it('works without it, and says so, when the port is taken', async () => {
      const first = run(SERVICE, { env: OPS });
      await opsOf(first);
      const { opsPort } = JSON.parse(first.output.text.split('\n').find((line) => line.includes('opsPort'))!);
      const second = run(SERVICE, { env: { OPS_PORT: String(opsPort) } });
      await second.output.until('check OPS_PORT');
      await second.output.until('"event":"listening"');
      expect(second.output.text).toMatch(
        /the port for operators cannot be used: .*EADDRINUSE.*; check OPS_PORT/,
      );
      for (const { child, ended } of [first, second]) {
        child.kill('SIGTERM');
        expect(await ended).toBe(0);
      }
    });
  });

  it('loads what makes traces only when the standard variables ask for them', async () => {
    const before = `const { registerHooks } = await import('node:module');
      registerHooks({ resolve(name, context, next) {
        if (name === '@opentelemetry/sdk-node') process.stdout.write('loads the SDK');
        return next(name, context);
      } })`;
    const collector = await TraceCollector.start();
    for (const [env, loads] of [
      [{}, false],
      [{ ...collector.env, OTEL_SDK_DISABLED: 'true' }, false],
      [collector.env, true],
    ] as const) {
      const { child, output, ended } = run(SERVICE, { env, before });
      await output.until('listening');
      expect(output.text.includes('loads the SDK')).toBe(loads);
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
    await collector.close();
  });

  it('goes with its supervisor, also while it is being started', async () => {
    const running = run(SERVICE, { supervised: true });
    await running.output.until('listening');
    running.child.disconnect();
    expect(await running.ended).toBe('SIGKILL');

    const starting = run(STARTING, { supervised: true });
    await starting.output.until('starting');
    starting.child.disconnect();
    expect(await starting.ended).toBe('SIGKILL');
  });

  // Two processes were once left behind so: loading all of an application takes a second or two.
  it('goes with its supervisor although its exit hangs: nobody is left to end it by force', async () => {
    const before = `process.on('exit', () => { for (;;); })`;
    const { child, output, ended } = run(SERVICE, { supervised: true, before });
    await output.until('listening');
    child.disconnect();
    expect(await ended).toBe('SIGKILL');
    expect(output.text).toContain('closed');
  });

  it('goes with a supervisor that was gone before it had loaded its code', async () => {
    const before = `process.stdout.write('loading'); await new Promise((gone) => process.once('disconnect', gone))`;
    const { child, output, ended } = run(SERVICE, { supervised: true, before });
    await output.until('loading');
    child.disconnect();
    expect(await ended).toBe('SIGKILL');
  });
});
