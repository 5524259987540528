import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { moneyString, sumOf } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import {
  customerLicensesDecider,
  initialState,
  type LicenseCommand,
} from '../../libs/contexts/licenses/customer-licenses.js';
import type { LicenseEvent } from '../../libs/contexts/licenses/events.js';
import { subscriptionDecider, type SubscriptionCommand } from '../../libs/contexts/subscriptions/decider.js';
import type { Bill, SubscriptionEvent } from '../../libs/contexts/subscriptions/events.js';
import {
  create,
  customerId,
  linesOfBills,
  pass,
  price,
  subscriptionId,
} from '../support/sample-subscription.js';
import { examplesOf, partsOf, statementsOf } from './blocks.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/licenses.md'), 'utf8');
const instant = (date: string): string => `${date}T00:00:00.000Z`;
const seats = (timing: 'in_advance' | 'in_arrears') =>
  price('seats', {
    timing,
    licenseTypeId: 'editor',
    config: { model: 'license', unitPrice: '30', currency: 'USD' },
  });

/** A customer with licenses and a subscription, as its events. */
class Example {
  private readonly licenses: LicenseEvent[] = [];
  private readonly subscription: SubscriptionEvent[] = [];

  /** Does what a line of the page says. */
  do(statement: string): void {
    const [, date, verb, what = ''] = /^(\S+) (\S+) ?(.*)$/.exec(statement)!;
    const at = instant(date!);
    if (verb === 'allocate')
      this.change({ type: 'AllocateLicense', ...named(what), licenseTypeId: 'editor', at });
    if (verb === 'deactivate') this.change({ type: 'DeactivateLicense', ...named(what), at });
    if (verb === 'renew') this.decide(pass(at));
    if (verb === 'subscribe') {
      const { changes, active } = fold(customerLicensesDecider, this.licenses) ?? initialState;
      const of = seats(what === 'in advance' ? 'in_advance' : 'in_arrears');
      this.decide(create([of], { startsAt: at, at, licenses: { changes, active } }));
    }
    this.count();
  }

  /** The invoices of the subscription, each on a line. */
  invoices(): string[] {
    const bills = this.subscription.flatMap(({ data }): Bill[] =>
      'bill' in data && data.bill !== null ? [data.bill] : [],
    );
    return linesOfBills(bills).map((lines, i) => {
      const total = moneyString(sumOf(lines.map(({ amount }) => amount)), 'USD');
      const shown = lines.map(
        ({ quantity, amount }) => `${quantity} ${quantity === '1' ? 'seat' : 'seats'} ${amount}`,
      );
      return `${bills[i]!.billedAt.slice(0, 10)} ${total} (${shown.join(', ')})`;
    });
  }

  private change(command: LicenseCommand): void {
    const state = fold(customerLicensesDecider, this.licenses);
    this.licenses.push(...customerLicensesDecider.decide(command, state));
  }

  private decide(command: SubscriptionCommand): number {
    const events = subscriptionDecider.decide(command, fold(subscriptionDecider, this.subscription));
    return this.subscription.push(...events) && events.length;
  }

  private count(): void {
    if (this.subscription.length === 0) return;
    const changes = this.licenses.map(({ data }, i) => ({ number: i + 1, ...data }));
    while (this.decide({ type: 'CountLicenses', subscriptionId, changes }) > 0);
  }
}

const named = (who: string) => ({ customerId, licenseId: `lic_${who}` });

it.each(examplesOf(page, 'licenses'))('licenses under "$title" are charged as the page says', (example) => {
  const { happens, comes } = partsOf(example);
  const customer = new Example();
  for (const statement of statementsOf(happens)) customer.do(statement);
  expect(`${customer.invoices().join('\n')}\n`).toBe(comes);
});

it('has examples', () => {
  expect(examplesOf(page, 'licenses').length).toBeGreaterThan(3);
});
