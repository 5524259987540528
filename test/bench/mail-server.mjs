// A mail server that takes everything, and counts what it has taken.
import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';

export async function startMailServer() {
  let received = 0;
  const waiting = new Map();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, { envelope }, done) {
      stream.resume();
      stream.once('end', () => {
        received += 1;
        for (const { address } of envelope.rcptTo) waiting.get(address)?.();
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${server.server.address().port}`,
    /** The number of mails that it has taken. */
    received: () => received,
    /** Resolves when the next mail to this address has arrived. */
    next: (address) => new Promise((resolve) => waiting.set(address, resolve)),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
