import { INVISIBLE_CHARACTER, VISIBLE_TEXT_EXPECTED } from './invisible-characters.js';

const MAX_LENGTH = 254;
/**
 * Matches one "@" with text before and after it. Spaces are refused. Delimiters that RFC 5321 (section 4.1.2) allows only in quotes are
 * refused too.
 */
const ADDRESS = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"/?#%]+$/u;

/**
 * Returns the form in which addresses of users are stored and compared. The part before the "@" is in lower case and in NFC, because mail
 * servers do not distinguish upper and lower case in practice. The domain is in ASCII (IDNA), so that `a@münchen.de` and
 * `a@xn--mnchen-3ya.de` are one address.
 */
export function canonicalEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at + 1);
  const domain = address.slice(at + 1);
  return lowerCase(local) + (asciiDomain(domain) || lowerCase(domain));
}

/** Returns the domain of an e-mail address, in ASCII and lower case. The result is empty if the address has no domain. */
export function domainOf(address: string): string {
  return asciiDomain(address.slice(address.lastIndexOf('@') + 1));
}

/** Converts a domain to ASCII and lower case. The result is empty if the text is not a domain. */
export function asciiDomain(domain: string): string {
  return URL.canParse(`https://${domain}`) ? new URL(`https://${domain}`).hostname : '';
}

/**
 * Returns the error message for an unusable address, without the name of the field. Undefined if the address is usable. Invisible
 * characters are refused in an address. Characters that only look like others, such as full-width letters, are refused too. With them, two
 * addresses that look the same would be two users.
 */
export function emailProblem(address: string): string | undefined {
  if (INVISIBLE_CHARACTER.test(address)) return VISIBLE_TEXT_EXPECTED;
  if (address.length > MAX_LENGTH || !ADDRESS.test(address))
    return `must be an e-mail address of at most ${MAX_LENGTH} characters`;
  if (address.normalize('NFKC') !== address.normalize('NFC'))
    return 'must not have full-width letters, ligatures or other variants of characters; type the plain characters';
  return domainOf(address) === '' ? 'must have a domain after the "@", such as example.com' : undefined;
}

function lowerCase(text: string): string {
  return text.toLowerCase().normalize('NFC');
}
