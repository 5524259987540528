import { TextSeal } from '#libs/kernel/system';
import type { MailContent } from './mail.js';

/** Encrypts what mail says and what mail servers answer. Both can contain addresses, and mail can contain links that sign somebody in. */
export class MailSeal {
  private readonly seal: TextSeal;

  /** @param secret the encryption key is derived from this text */
  constructor(secret: string) {
    this.seal = new TextSeal(secret, 'countinghouse mail');
  }

  sealContent(content: MailContent): string {
    return this.seal.seal(JSON.stringify(content));
  }

  /** The content; undefined if another secret encrypted it. */
  openContent(sealed: string): MailContent | undefined {
    const text = this.seal.open(sealed);
    return text === undefined ? undefined : (JSON.parse(text) as MailContent);
  }

  sealAnswer(answer: string): string {
    return this.seal.seal(answer);
  }

  /** The answer; undefined if another secret encrypted it. */
  openAnswer(sealed: string): string | undefined {
    return this.seal.open(sealed);
  }
}
