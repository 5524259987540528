import type { Language, PostalAddress } from '#libs/kernel/core';
import { ERASED } from '#libs/kernel/event-store';
import { wordingOf } from '../languages/index.js';
import { countryName } from './formatters.js';

/** Countries that write the postal code after the city and the region. */
const CODE_LAST = new Set(['AU', 'CA', 'GB', 'IE', 'IN', 'NZ', 'US']);

/**
 * The lines of an address, in the form of its country. The country's name is in the document's language.
 *
 * @param from the seller's country, if it is known
 */
export function addressLines(address: PostalAddress, language: Language, from?: string): string[] {
  const { line1, line2, city, postalCode, region, country } = address;
  const name = countryName(wordingOf(language).locale.dates, country);
  const whole = (...lines: (string | null | undefined)[]) => lines.flatMap((line) => (line ? [line] : []));
  // A document in Japanese writes the address from large to small, without spaces.
  if (country === 'JP' && language === 'ja')
    return whole(
      postalCode && `〒${postalCode}`,
      `${region ?? ''}${city}${line1}`,
      line2,
      (from ?? country) === country ? null : name,
    );
  const place = CODE_LAST.has(country)
    ? whole(whole(city, region).join(', '), postalCode).join(' ')
    : whole(postalCode, city).join(' ');
  return whole(line1, line2, place, CODE_LAST.has(country) ? null : region, name);
}

/** A customer's address; null if it is unknown or erased. */
export function knownAddress(address: PostalAddress | undefined): PostalAddress | null {
  return address === undefined || (address as unknown) === ERASED ? null : address;
}
