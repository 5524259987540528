import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as a server received it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** The message in its encoded form, with its headers. */
  raw: string;
}

/** The answers of a server: an SMTP status and text to refuse with, or undefined to accept. */
export interface Answers {
  recipient?: () => { status: number; text: string } | undefined;
  message?: () => { status: number; text: string } | undefined;
  /** Called when the whole message has arrived and was taken, before the answer: `cut` breaks the connection instead of an answer. */
  afterMessage?: () => Promise<'answer' | 'cut'>;
}

/** An SMTP server of a test's own on loopback. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  answers: Answers = {};
  private waiting: (() => void)[] = [];

  private constructor(
    private readonly server: SMTPServer,
    readonly url: string,
  ) {}

  static async start(): Promise<MailServer> {
    // The handlers are called when mail arrives, and then the server is there.
    const self: { server?: MailServer } = {};
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      onRcptTo: (_address, _session, done) => done(errorOf(self.server!.answers.recipient?.())),
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { envelope } = session;
          const error = errorOf(self.server!.answers.message?.());
          if (error) return done(error);
          self.server!.take({
            from: envelope.mailFrom ? envelope.mailFrom.address : '',
            to: envelope.rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString('utf8'),
          });
          const next = self.server!.answers.afterMessage?.() ?? Promise.resolve('answer');
          void next.then((what) => (what === 'cut' ? self.server!.cut() : done()));
        });
      },
    });
    smtp.on('error', () => undefined);
    smtp.listen(0, '127.0.0.1');
    await once(smtp.server, 'listening');
    const { port } = smtp.server.address() as AddressInfo;
    return (self.server = new MailServer(smtp, `smtp://127.0.0.1:${port}`));
  }

  /** Waits until mail to this address has arrived that was not returned before, and returns it. */
  async next(address: string): Promise<ReceivedMail> {
    for (;;) {
      const at = this.received.findIndex(({ to }) => to.includes(address));
      if (at >= 0) return this.received.splice(at, 1)[0]!;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Breaks all connections. */
  private cut(): void {
    for (const { _socket } of this.server.connections as Set<{ _socket: { destroy(): void } }>)
      _socket.destroy();
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private take(mail: ReceivedMail): void {
    this.received.push(mail);
    for (const wake of this.waiting.splice(0)) wake();
  }
}

/** The text of a mail, with its line breaks as they were written. */
export function textOf({ raw }: ReceivedMail): string {
  return raw.replaceAll('=\r\n', '').replaceAll('\r\n', '\n').replaceAll('=3D', '=');
}

function errorOf(refusal: { status: number; text: string } | undefined): Error | null {
  return refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.status }) : null;
}
