import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { drainRefusedBodies } from './refused-bodies.js';

/** More time than a slow machine needs. */
const LIMITS = { bytes: 8_000_000, millis: 3_600_000 };

const servers: FastifyInstance[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const run = promisify(execFile);

/** Sends 6 MB twenty times, from another process: it still writes while the server answers. */
const CLIENT = `
const [url] = process.argv.slice(1);
const send = () =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: Buffer.alloc(6e6, 'x') }).then(
    async (answer) => \`\${answer.status} \${(await answer.text()) !== ''}\`,
    (error) => String(error.cause),
  );
const answers = [];
for (let n = 0; n < 20; n++) answers.push(await send());
console.log(JSON.stringify(answers));
`;

/** A server that takes bodies of 1 kB, refuses whatever is sent to `/no` unread, and answers at `/`. */
async function start(limits = LIMITS): Promise<string> {
  const fastify = Fastify({ bodyLimit: 1_000, forceCloseConnections: true });
  servers.push(fastify);
  drainRefusedBodies(fastify, limits);
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    if (request.url === '/no') void reply.status(401).send({ refused: true });
    else done(null, payload);
  });
  for (const url of ['/', '/no']) fastify.post(url, () => 'taken');
  return fastify.listen({ port: 0, host: '127.0.0.1' });
}

function open(url: string): { client: Socket; heard: () => string; closed: Promise<unknown> } {
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  client.on('data', (chunk) => (text += chunk.toString()));
  client.on('error', () => undefined);
  return { client, heard: () => text, closed: new Promise((resolve) => client.once('close', resolve)) };
}

const heading = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

describe('a body that is refused before it is read', () => {
  it.each(['/', '/no'])(
    'of a client that still writes it is answered so that it can read: %s',
    async (path) => {
      const url = await start();
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', CLIENT, `${url}${path}`]);
      expect(new Set(JSON.parse(stdout))).toEqual(new Set([path === '/' ? '413 true' : '401 true']));
    },
  );

  it('is read no further than its most bytes', async () => {
    const { client, heard, closed } = open(await start());
    client.write(heading('/no', 1_000_000_000));
    const part = Buffer.alloc(100_000, 'x');
    const write = (): void => {
      client.write(part, (error) => {
        if (!error) write();
      });
    };
    write();
    await closed;
    expect(heard()).toMatch(/^HTTP\/1.1 401 /);
    expect(client.bytesWritten).toBeLessThan(4 * LIMITS.bytes);
  });

  it('is waited for no longer than its most time', async () => {
    const patient = open(await start());
    const hasty = open(await start({ ...LIMITS, millis: 300 }));
    for (const { client } of [patient, hasty]) client.write(`${heading('/no', 100)}x`);
    await hasty.closed;
    expect(hasty.heard()).toMatch(/^HTTP\/1.1 401 /);
    expect(patient.client.closed).toBe(false);
    patient.client.destroy();
  });

  it('leaves its connection to the next request once it is read', async () => {
    const { client, heard } = open(await start());
    const body = '"'.padEnd(99, 'x') + '"';
    client.write(`${heading('/no', body.length)}${body}`);
    client.write(`${heading('/', body.length)}${body}`);
    while (!heard().endsWith('taken')) await once(client, 'data');
    expect(heard()).toMatch(/^HTTP\/1.1 401 [^]*HTTP\/1.1 200 /);
    client.destroy();
  });
});
