import { domainToASCII } from 'node:url';

/** The most bytes of text in one encoded word, which has at most 75 characters (RFC 2047, section 2). */
const ENCODED_WORD_BYTES = 42;

/** A name with an address, for the headers From and To. The name may be empty. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/**
 * Returns a subject for the header. The composer encodes all characters beyond ASCII, and passes ASCII on. Mail programs would show a subject
 * with `=?` as another text, so it is encoded here (RFC 2047).
 */
export function subjectHeader(subject: string): string {
  return looksEncoded(subject) ? encodedWords(subject).join(' ') : subject;
}

/**
 * Returns the header `field` of a mailbox whose name has `=?`, with the line break at its end. The composer writes such a name in quotes, and
 * many mail programs show it as another text, so it is encoded here (RFC 2047). Undefined for other names, which the composer writes.
 */
export function mailboxHeader(field: 'From' | 'To', { name, address }: Mailbox): string | undefined {
  if (!looksEncoded(name)) return undefined;
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  const shown = `<${address.slice(0, at)}${domainToASCII(domain) || domain}>`;
  return `${field}: ${[...encodedWords(name), shown].join('\r\n ')}\r\n`;
}

function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

function encodedWords(text: string): string[] {
  const words: string[] = [''];
  for (const character of text) {
    const longer = words.at(-1)! + character;
    if (Buffer.byteLength(longer) > ENCODED_WORD_BYTES) words.push(character);
    else words[words.length - 1] = longer;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`);
}
