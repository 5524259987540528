import { Decimal, jsonNumber, moneyString } from '#libs/kernel/core';
import type { RecurringCadence } from '#libs/rating';
import type { Client, System } from '../../support/index.ts';
import { instantOf } from '../adapter/instants.ts';
import { exactly, type Exact } from './exact.ts';
import { advanceClock, runBilling } from '../../support/plans.ts';

const DAY_MILLIS = 86_400_000;

/** The workspace of one case, or of several that leave its clock alone. */
export interface CaseWorkspace {
  readonly http: Client;
  /** From the first subscription on, the clock only moves forward. */
  isSubscribed: boolean;
}

/** A workspace whose clock stands still at `now`. */
export async function openWorkspace(system: System, now: string): Promise<CaseWorkspace> {
  const { http } = await system.workspace();
  await http.put('/v1/sandbox/clock', { now }).expect(200);
  await http.put('/v1/billing-settings', { autoApprove: false, autoCollect: false }).expect(200);
  return { http, isSubscribed: false };
}

/** A price that a case is about. */
export interface Fee {
  readonly amount: string;
  readonly cadence?: RecurringCadence;
  readonly timing?: 'in_advance' | 'in_arrears';
}

/** A line of an invoice as it is answered; amounts are text with the currency's decimals. */
export interface Line {
  readonly id: string;
  readonly type: string;
  readonly priceId: string | null;
  readonly amount: string;
  readonly discount: string;
  readonly periodStart: string;
  readonly periodEnd: string;
}

export interface Invoice {
  readonly id: string;
  readonly createdAt: string;
  readonly subtotal: string;
  readonly total: string;
  readonly amountDue: string;
  readonly balanceApplied: string;
  readonly balanceCredited: string;
  readonly discounts: readonly { readonly couponId: string; readonly amount: string }[];
  readonly lines: readonly Line[];
}

/**
 * A customer for one case, and what a client of the API does for it. The workspace's clock stands where {@link goTo} put it, and nothing is
 * opened or paid by itself, so that what a case asks for is all that happens.
 */
export class Account {
  private constructor(
    private readonly workspace: CaseWorkspace,
    readonly currency: string,
    readonly customerId: string,
  ) {}

  static async open(workspace: CaseWorkspace, currency: string): Promise<Account> {
    const { body } = await workspace.http.post('/v1/customers', { name: 'Case', currency }).expect(201);
    return new Account(workspace, currency, (body as { id: string }).id);
  }

  /** Sets the clock, to any time before the first subscription; from then on it moves forward, and what is due is done. */
  async goTo(to: string): Promise<void> {
    if (this.workspace.isSubscribed) await this.advance(to);
    else await this.workspace.http.put('/v1/sandbox/clock', { now: to }).expect(200);
  }

  /** Moves the clock forward, and does what is due by then. */
  async advance(to: string): Promise<void> {
    await advanceClock(this.workspace, to);
  }

  /** A second later: by then all that has been asked for is done, also what follows from it. */
  async settle(): Promise<void> {
    const { now } = await this.get('/v1/sandbox/clock');
    await this.advance(daysAfter(now as string, 1 / 86_400));
  }

  async get(path: string): Promise<Exact> {
    return exactly((await this.workspace.http.get(path).expect(200)).text);
  }

  /** Throws, with what was answered, unless the status is 2xx. */
  async post(path: string, body?: object): Promise<Exact> {
    const { status, text } = await this.workspace.http.post(path, body);
    if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
    return exactly(text);
  }

  async put(path: string, body: object): Promise<void> {
    await this.workspace.http.put(path, body).expect(200);
  }

  /** Puts a card on file; without arguments, one that can be charged. */
  async addCard(test = 'pm_card_visa', declines?: number): Promise<void> {
    const card = { type: 'test', test, ...(declines === undefined ? {} : { declines }) };
    await this.post(`/v1/customers/${this.customerId}/payment-methods`, card);
  }

  /** Whether it is accepted; if not, it must be a 400 or, as for a declined charge, a 409. */
  async accepts(path: string, body: object): Promise<boolean> {
    const { status, text } = await this.workspace.http.post(path, body);
    if (status !== 400 && status !== 409 && status >= 300)
      throw new Error(`POST ${path} answered ${status}: ${text}`);
    return status < 300;
  }

  /** Creates a fee per unit, of which a subscription has one unless it says otherwise. */
  async fee({ amount, cadence = 'monthly', timing = 'in_advance' }: Fee): Promise<string> {
    const config = { model: 'unit', unitPrice: jsonNumber(amount), currency: this.currency };
    return this.id('/v1/prices', { name: 'Fee', config, cadence, timing });
  }

  /** Creates a plan and subscribes the customer to it; answers the subscription. */
  async subscribe(priceIds: string[], subscription: object = {}, plan: object = {}): Promise<Exact> {
    return this.subscribeTo(await this.plan(priceIds, plan), subscription);
  }

  plan(priceIds: string[], plan: object = {}): Promise<string> {
    return this.id('/v1/plans', { name: 'Plan', prices: priceIds, ...plan });
  }

  /** Subscribes the customer to a plan; answers the subscription. */
  async subscribeTo(planId: string, subscription: object = {}): Promise<Exact> {
    this.workspace.isSubscribed = true;
    return this.post('/v1/subscriptions', { customerId: this.customerId, planId, ...subscription });
  }

  /** Does what has become due. */
  async bill(): Promise<void> {
    await runBilling(this.workspace);
  }

  /** The customer's invoices, in the order in which they were made. */
  async invoices(): Promise<Invoice[]> {
    const { data } = (await this.get(`/v1/invoices?page_size=100&customer_id=${this.customerId}`)) as {
      data: Exact[];
    };
    return data.toReversed().map((invoice) => this.read(invoice));
  }

  /** The lines of a price over all invoices, by their time. */
  async linesOf(priceId: string): Promise<Line[]> {
    return (await this.invoices())
      .flatMap(({ lines }) => lines)
      .filter((line) => line.priceId === priceId)
      .sort((a, b) => a.periodStart.localeCompare(b.periodStart));
  }

  read(answer: Exact): Invoice {
    const { lines, discounts, ...invoice } = answer as unknown as Invoice;
    const money = (amount: string | undefined) => this.money(amount ?? '0');
    return {
      ...invoice,
      subtotal: money(invoice.subtotal),
      total: money(invoice.total),
      amountDue: money(invoice.amountDue),
      balanceApplied: money(invoice.balanceApplied),
      balanceCredited: money(invoice.balanceCredited),
      discounts: discounts.map((one) => ({ ...one, amount: money(one.amount) })),
      lines: lines.map((line) => ({ ...line, amount: money(line.amount), discount: money(line.discount) })),
    };
  }

  /** As cases write an amount: with the currency's decimals. */
  money(amount: string | Decimal): string {
    return moneyString(new Decimal(amount), this.currency);
  }

  /** Makes something; answers its id. */
  async id(path: string, body: object): Promise<string> {
    return (await this.post(path, body))['id'] as string;
  }
}

/** So many days after an instant. */
export function daysAfter(instant: string, days: number): string {
  return new Date(Date.parse(instantOf(instant)) + days * DAY_MILLIS).toISOString();
}
