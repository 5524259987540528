import { ERASED } from '#libs/kernel/domain';
import type { Customer } from './customer.js';

/** Returns the additional addresses of a customer. Returns an empty list if there are none, or if they were erased. */
export function additionalEmailsOrNone(addresses: readonly string[] | undefined): string[] {
  return addresses === undefined || (addresses as unknown) === ERASED ? [] : [...addresses];
}

/**
 * Returns the addresses to which mail about invoices goes, the main address first: `billingEmail`, or else `email`. Each address is there
 * once; upper and lower case are the same. The list is empty if the customer has no address, or if its data was erased.
 */
export function mailAddressesOf({ billingEmail, email, additionalEmails }: Customer): string[] {
  const main = billingEmail ?? email;
  const all = [...(main === null ? [] : [main]), ...additionalEmailsOrNone(additionalEmails)];
  const byLowerCase = new Map<string, string>();
  for (const address of all)
    if (address !== ERASED && !byLowerCase.has(address.toLowerCase()))
      byLowerCase.set(address.toLowerCase(), address);
  return [...byLowerCase.values()];
}
