import { TextCipher } from '#libs/kernel/system';
import type { MailContent } from './mail.js';

/** Encrypts what mail says and what mail servers answer. Both can contain addresses, and mail can contain links that sign somebody in. */
export class MailCipher {
  private readonly seal: TextCipher;

  /** @param secret the encryption key is derived from this text */
  constructor(secret: string) {
    this.seal = new TextCipher(secret, 'countinghouse mail');
  }

  encryptContent(content: MailContent): string {
    return this.seal.encrypt(JSON.stringify(content));
  }

  /** The content; undefined if another secret encrypted it. */
  decryptContent(sealed: string): MailContent | undefined {
    const text = this.seal.decrypt(sealed);
    return text === undefined ? undefined : (JSON.parse(text) as MailContent);
  }

  encryptAnswer(answer: string): string {
    return this.seal.encrypt(answer);
  }

  /** The answer; undefined if another secret encrypted it. */
  decryptAnswer(sealed: string): string | undefined {
    return this.seal.decrypt(sealed);
  }
}
