import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Instant } from '#libs/kernel/core';
import type { MailContent, SendConditions } from '../queue/mail.js';
import { mailboxHeader, subjectHeader } from './encoded-words.js';
import { readMailServer, type MailServer } from './mail-server.js';

/**
 * The result of an attempt to send mail. `refused`: the mail server has refused the mail permanently, or the address is not valid.
 * `failed`: the mail server did not accept the mail, and a later attempt may succeed. `unknown`: the connection broke after the end of the
 * message and before the answer, so the server may have accepted the mail.
 */
export interface SmtpOutcome {
  kind: 'accepted' | 'refused' | 'failed' | 'unknown';
  /** The answer of the mail server, or the reason why the server could not be reached. At most 500 characters. */
  answer: string;
  /**
   * False if no mail can be sent now: the mail server cannot be reached, is silent, or refuses the sign-in. True if it has answered about
   * this mail. Undefined if the attempt shows neither.
   */
  serverWorks?: boolean | undefined;
}

/** A file that is attached to mail. */
export interface AttachedFile {
  filename: string;
  content: Buffer;
  contentType: string;
}

/** Mail for one attempt. */
export interface OutgoingMail extends Omit<MailContent, 'attachments' | keyof SendConditions> {
  messageId: string;
  /** The time for the Date header, which is the time at which the mail was created. */
  date: Instant;
  files?: readonly AttachedFile[];
}

/** The answer of a mail server that accepted a message. */
interface Acceptance {
  response: string;
}

const CONNECT_MILLIS = 10_000;
const SILENCE_MILLIS = 30_000;
const MAX_ANSWER = 500;

/** Sends mail through one mail server. Each attempt has its own connection. */
export class SmtpSender {
  private readonly server: MailServer;
  private readonly fromName: string;
  private readonly fromAddress: string;

  /**
   * @param url the mail server, as in MAIL_URL
   * @param from the sender, as in MAIL_FROM
   */
  constructor(url: string, from: string) {
    this.server = readMailServer(url);
    const [, name, address] = /^\s*(?:"?(.*?)"?\s*<)?([^<>\s]+@[^<>\s]+?)>?\s*$/.exec(from)!;
    this.fromName = name ?? '';
    this.fromAddress = address!;
  }

  /** Returns a value for the Message-ID header of mail with this id. */
  newMessageId(mailId: string): string {
    return `<${mailId}@${this.fromAddress.split('@').at(-1)}>`;
  }

  /**
   * Makes one attempt. Never rejects.
   *
   * @param beforeEnd is awaited when all but the end of the message was sent. Without the end of the message, no mail server accepts the
   * message. If `beforeEnd` returns false or rejects, the connection is closed before the end of the message is sent.
   */
  async send(mail: OutgoingMail, beforeEnd: () => Promise<boolean>): Promise<SmtpOutcome> {
    let ended = false;
    let stopped = false;
    const endIfAllowed = async () => {
      ended = await beforeEnd();
      stopped = !ended;
      return ended;
    };
    try {
      const message = await this.compose(mail);
      const envelope = { from: this.fromAddress, to: [mail.to.address] };
      const { response } = await this.deliver(envelope, messageStream(message, endIfAllowed));
      return { kind: 'accepted', answer: cut(response), serverWorks: true };
    } catch (error) {
      return {
        kind: outcomeOf(error as SMTPConnection.SMTPError, ended),
        answer: cut((error as Error).message),
        serverWorks: stopped ? undefined : serverWorksAfter(error as SMTPConnection.SMTPError),
      };
    }
  }

  private async compose(mail: OutgoingMail): Promise<Buffer> {
    const { to, senderName, replyTo, subject, text, html, messageId, date, files = [] } = mail;
    const sender = { name: senderName ?? this.fromName, address: this.fromAddress };
    const receiver = { name: to.name ?? '', address: to.address };
    const [fromHeader, toHeader] = [mailboxHeader('From', sender), mailboxHeader('To', receiver)];
    const composer = new MailComposer({
      from: fromHeader ? undefined : sender,
      to: toHeader ? undefined : receiver,
      ...(replyTo === undefined ? {} : { replyTo }),
      subject: subjectHeader(subject),
      text,
      html,
      messageId,
      date: headerDate(date),
      attachments: files.map((file) => ({ ...file })),
      // Asks mail programs not to send automatic replies (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const message = await composer.compile().build();
    return Buffer.concat([Buffer.from(`${fromHeader ?? ''}${toHeader ?? ''}`), message]);
  }

  private async deliver(envelope: SMTPConnection.Envelope, message: Readable): Promise<Acceptance> {
    const { auth, ...server } = this.server;
    const connection = new SMTPConnection({
      ...server,
      connectionTimeout: CONNECT_MILLIS,
      greetingTimeout: CONNECT_MILLIS,
      dnsTimeout: CONNECT_MILLIS,
      socketTimeout: SILENCE_MILLIS,
    });
    try {
      return await new Promise((resolve, reject) => {
        connection.on('error', reject);
        connection.once('end', () => reject(new Error('The server closed the connection')));
        const orReject = (next: () => void) => (error?: Error | null) => (error ? reject(error) : next());
        const send = () =>
          connection.send(envelope, message, (error, info) => (error ? reject(error) : resolve(info)));
        connection.connect(
          orReject(() => (auth ? connection.login({ credentials: auth }, orReject(send)) : send())),
        );
      });
    } finally {
      message.destroy();
      connection.close();
    }
  }
}

/** The bytes of a message in two pieces. The second piece, which completes the message, is sent only after `mayEnd` resolves to true. */
function messageStream(message: Buffer, mayEnd: () => Promise<boolean>): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    yield message.subarray(0, -1);
    if (!(await mayEnd())) throw new Error('Another attempt is sending this mail');
    yield message.subarray(-1);
  }
  // Nothing is read ahead, so the first piece is taken when the server asks for the message.
  return Readable.from(pieces(), { objectMode: false, highWaterMark: 1 });
}

/**
 * Returns the outcome of an attempt that failed with this error. If the mail server answered with an error, it has not accepted the mail. A
 * reply code 5xx to the addresses or to the message is permanent. An address that is refused before it is sent to the mail server is
 * permanent too. Other reply codes can change at a later attempt. A reply code 5xx at sign-in or at the greeting is not permanent, because
 * it concerns all mail and an operator can correct its cause. Without an answer after the end of the message, the outcome is unknown.
 */
function outcomeOf(
  { code, responseCode }: SMTPConnection.SMTPError,
  ended: boolean,
): 'refused' | 'failed' | 'unknown' {
  if (responseCode === undefined && ended) return 'unknown';
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return 'failed';
  const isFinal = responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500;
  return isFinal ? 'refused' : 'failed';
}

/**
 * Tells whether an attempt that failed with this error shows that the mail server works: it has answered about the mail. An address that is
 * refused before it is sent to the server shows nothing.
 */
function serverWorksAfter({ code, responseCode }: SMTPConnection.SMTPError): boolean | undefined {
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  return responseCode === undefined ? undefined : true;
}

/** A time in the form of the Date header (RFC 5322). */
function headerDate(at: Instant): string {
  return new Date(at).toUTCString().replace('GMT', '+0000');
}

function cut(text: string): string {
  return text.slice(0, MAX_ANSWER);
}
