import { TextCipher, type InstanceSecrets } from '#libs/kernel/system';
import type { MailContent } from './mail.js';

/**
 * Encrypts the content of mail and the answers of mail servers. Mail and answers can contain addresses, and mail can contain links that
 * sign a user in.
 */
export class MailCipher {
  private readonly seal: TextCipher;

  /** @param secrets the encryption keys are derived from these texts */
  constructor(secrets: InstanceSecrets) {
    this.seal = new TextCipher(secrets, 'countinghouse mail');
  }

  encryptContent(content: MailContent): string {
    return this.seal.encrypt(JSON.stringify(content));
  }

  /** Returns the content; undefined if it was encrypted with another secret. */
  decryptContent(sealed: string): MailContent | undefined {
    const text = this.seal.decrypt(sealed);
    return text === undefined ? undefined : (JSON.parse(text) as MailContent);
  }

  encryptAnswer(answer: string): string {
    return this.seal.encrypt(answer);
  }

  /** Returns the answer; undefined if it was encrypted with another secret. */
  decryptAnswer(sealed: string): string | undefined {
    return this.seal.decrypt(sealed);
  }
}
