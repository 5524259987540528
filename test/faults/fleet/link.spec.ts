import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Transcript } from '../../support/transcript.ts';
import { Link } from './link.ts';

/** A server that writes down what it hears and answers each piece with `echo <piece>`. */
interface Echo {
  server: Server;
  heard: Transcript;
  sockets: Socket[];
}

async function startEcho(): Promise<Echo> {
  const echo: Echo = { server: createServer(), heard: new Transcript(), sockets: [] };
  echo.server.on('connection', (socket) => {
    echo.sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      echo.heard.add(data.toString());
      socket.write(`echo ${data.toString()}`);
    });
  });
  echo.server.listen(0, '127.0.0.1');
  await once(echo.server, 'listening');
  return echo;
}

const portOf = ({ server }: Echo) => (server.address() as AddressInfo).port;

/** A client of the link: what it hears, and how its connection ended. */
function dial(link: Link) {
  const socket = connect({ port: link.port, host: '127.0.0.1' });
  const heard = new Transcript();
  socket.on('data', (data) => heard.add(data.toString()));
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve('closed'));
  });
  return { socket, heard, ended };
}

describe('Link', () => {
  let echo: Echo;
  let link: Link;
  beforeEach(async () => {
    echo = await startEcho();
    link = await Link.between('client → echo', portOf(echo));
  });
  afterEach(async () => {
    await link.close();
    echo.server.close();
  });

  it('passes on what both ends say, and that they hang up', async () => {
    const { socket, heard, ended } = dial(link);
    socket.write('one');
    await heard.until('echo one');
    expect(link.farPorts).toEqual([echo.sockets[0]!.remotePort]);
    socket.end();
    await once(echo.sockets[0]!, 'end');
    expect(await ended).toBe('closed');
  });

  it('cuts both ends off, and lets new connections through', async () => {
    const first = dial(link);
    first.socket.write('one');
    await first.heard.until('echo one');
    const gone = new Promise((resolve) => echo.sockets[0]!.on('close', resolve));
    expect(link.cut()).toBe(1);
    expect(await first.ended).toBe('ECONNRESET');
    await gone;
    const second = dial(link);
    second.socket.write('two');
    await second.heard.until('echo two');
    expect(link.opened).toBe(2);
    second.socket.destroy();
  });

  it('cuts off the one end when the other dies', async () => {
    const { socket, heard, ended } = dial(link);
    socket.write('one');
    await heard.until('echo one');
    echo.sockets[0]!.resetAndDestroy();
    expect(await ended).toBe('ECONNRESET');
  });

  it('holds everything back until it is healed, and then passes it on in order', async () => {
    const { socket, heard } = dial(link);
    socket.write('one,');
    await heard.until('echo one');
    link.hold();
    socket.write('two,');
    await new Promise((written) => socket.write('three,', written));
    // What was held back would have been heard before this, which goes around the link.
    const around = connect({ port: portOf(echo), host: '127.0.0.1' });
    around.write('around,');
    await echo.heard.until('around');
    expect(echo.heard.text).toBe('one,around,');
    link.heal();
    await heard.until('three');
    expect(echo.heard.text).toBe('one,around,two,three,');
    for (const one of [socket, around]) one.destroy();
  });

  it('keeps the order of what it delays', async () => {
    const { socket, heard } = dial(link);
    socket.write('one,');
    await heard.until('echo one');
    link.delay(200);
    await new Promise((written) => socket.write('two,', written));
    // The link runs in this process: in a round or two of its event loop it takes what was written.
    for (let round = 0; round < 3; round++) await setImmediate();
    link.delay(1);
    const other = dial(link);
    other.socket.write('red,');
    await other.heard.until('red');
    socket.write('three,');
    await heard.until('three');
    expect(echo.heard.text).toBe('one,red,two,three,');
    for (const one of [socket, other.socket]) one.destroy();
  });

  it('loses so many answers to what was done, each with its connection', async () => {
    link.loseAnswers(1);
    const first = dial(link);
    first.socket.write('one');
    expect(await first.ended).toBe('ECONNRESET');
    expect([echo.heard.text, first.heard.text, link.lostAnswers]).toEqual(['one', '', 1]);
    const second = dial(link);
    second.socket.write('two');
    await second.heard.until('echo two');
    second.socket.destroy();
  });

  it('takes turns between the ends that it leads to', async () => {
    const other = await startEcho();
    const both = await Link.between('client → either', portOf(echo), portOf(other));
    const dialled = [dial(both), dial(both), dial(both)];
    for (const { socket, heard } of dialled) {
      socket.write('hello');
      await heard.until('echo hello');
      socket.destroy();
    }
    expect([echo.sockets.length, other.sockets.length]).toEqual([2, 1]);
    await both.close();
    other.server.close();
  });
});
