import { Resolver } from 'node:dns/promises';
import { StateConflict } from '#libs/kernel/core';

/** The name and the content of the TXT record that proves a domain. */
export interface DomainProofRecord {
  readonly name: string;
  readonly value: string;
}

const TIMEOUT_MILLIS = 3_000;

/**
 * Returns the TXT record that the owner of a domain has to publish. Each connection has its own `token` for a domain. The token is secret
 * until the record is published.
 */
export function domainProofRecord(domain: string, token: string): DomainProofRecord {
  return { name: `_countinghouse.${domain}`, value: `countinghouse-domain=${token}` };
}

/** Looks up the DNS records that prove that a domain belongs to a workspace. */
export class DomainProofChecker {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MILLIS, tries: 2 });

  /**
   * @param servers The DNS servers to ask, as `address` or `address:port`. If the list is empty, the DNS servers of the system are asked.
   */
  constructor(servers: readonly string[]) {
    if (servers.length > 0) this.resolver.setServers(servers);
  }

  /**
   * Looks up a TXT record in the DNS. Throws StateConflict (`domain_not_proved`) if no TXT record of this name has the value. The error
   * lists the records of this name that were found instead.
   */
  async requireRecord({ name, value }: DomainProofRecord): Promise<void> {
    const found = await this.texts(name);
    if (found.includes(value)) return;
    const what = found.length === 0 ? 'no TXT record is there' : `found ${found.join(', ').slice(0, 200)}`;
    throw new StateConflict(
      'domain_not_proved',
      `The TXT record ${name} must have the value ${value}, but ${what}. A new record can take some minutes to be seen`,
    );
  }

  private async texts(name: string): Promise<string[]> {
    try {
      return (await this.resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
      throw new StateConflict(
        'domain_not_proved',
        `The TXT record ${name} could not be looked up (${code}); try again shortly`,
      );
    }
  }
}
