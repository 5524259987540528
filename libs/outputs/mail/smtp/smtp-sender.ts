import { createTransport } from 'nodemailer';
import type { Instant } from '#libs/kernel/core';
import type { MailContent } from '../queue/mail.js';
import { readMailServer } from './mail-server.js';

/** The result of an attempt to send mail. `refused`: the server will never take this mail. `failed`: a later attempt may succeed. */
export interface SmtpOutcome {
  kind: 'accepted' | 'refused' | 'failed';
  /** What the server said, or why it could not be reached. At most 500 characters. */
  answer: string;
}

/** Mail for one attempt. */
export interface OutgoingMail extends MailContent {
  messageId: string;
  date: Instant;
}

/** An error of nodemailer. */
interface SendingError extends Error {
  /** Where it happened: `EENVELOPE`, `EMESSAGE`, `EAUTH`, `ECONNECTION` and others. */
  code?: string;
  /** The server's status, such as 550. */
  responseCode?: number;
}

const CONNECT_MILLIS = 10_000;
const SILENCE_MILLIS = 30_000;
const MAX_ANSWER = 500;

/** Sends mail through one mail server. Each attempt has its own connection. */
export class SmtpSender {
  private readonly transport: ReturnType<typeof createTransport>;
  private readonly domain: string;

  /** @param url the mail server, as in MAIL_URL @param from the sender, as in MAIL_FROM */
  constructor(
    url: string,
    private readonly from: string,
  ) {
    this.domain = /@([^@>]+)>?$/.exec(from)![1]!;
    this.transport = createTransport({
      ...readMailServer(url),
      connectionTimeout: CONNECT_MILLIS,
      greetingTimeout: CONNECT_MILLIS,
      dnsTimeout: CONNECT_MILLIS,
      socketTimeout: SILENCE_MILLIS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** The Message-ID header of mail with this id. */
  newMessageId(mailId: string): string {
    return `<${mailId}@${this.domain}>`;
  }

  /** Never rejects. */
  async send({ to, subject, text, html, messageId, date }: OutgoingMail): Promise<SmtpOutcome> {
    try {
      const { response } = (await this.transport.sendMail({
        from: this.from,
        to: { name: to.name ?? '', address: to.address },
        ...{ subject, text, html, messageId, date },
        // Asks mail programs not to send automatic replies (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      })) as { response: string };
      return { kind: 'accepted', answer: cut(response) };
    } catch (error) {
      return {
        kind: isFinal(error as SendingError) ? 'refused' : 'failed',
        answer: cut((error as Error).message),
      };
    }
  }
}

/**
 * Tells whether an error concerns this mail for good: the server refused the addresses or the message with a 5xx, or an address cannot be
 * sent. A 5xx at sign-in or at the greeting concerns all mail, and an operator can mend that.
 */
function isFinal({ code, responseCode }: SendingError): boolean {
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  return responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500;
}

function cut(text: string): string {
  return text.slice(0, MAX_ANSWER);
}
