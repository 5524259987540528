import { DAY, iso, type Moment } from './calendar.ts';
import type { SeenInvoice, Sight } from './observed.ts';
import type { Finding } from './properties.ts';

/** The cards of the model, as the sandbox's payment methods. */
export const CARDS = {
  pays: { test: 'pm_card_visa' },
  declinesTwice: { test: 'pm_card_declineThenSucceed', declines: 2 },
  declines: { test: 'pm_card_chargeDeclined' },
  stolen: { test: 'pm_card_chargeDeclinedStolenCard' },
} as const;
export type CardName = keyof typeof CARDS;

/** The days from one attempt to the next retry: the defaults of the settings. */
const RETRY_DAYS = [1, 3, 5, 7];

/** What a user did about payments, after the look with this number. */
interface Request {
  readonly look: number;
  readonly at: Moment;
  /** Another default card, or a request to pay this invoice. */
  readonly what: { readonly card: CardName } | { readonly invoiceId: string };
}

interface Attempt {
  readonly at: Moment;
  readonly status: 'succeeded' | 'failed';
  /** The number of the planned retry; null if it is none. */
  readonly retry: number | null;
}

/** What follows after an attempt that failed: a retry, or the end of the retries. */
type Plan = { readonly next: Moment } | { readonly ends: Moment };

/**
 * When and how often the invoices of a customer are charged, by docs/payment-retries.md with the default settings. It shares no code with the
 * product. It judges no purchases of credits.
 */
export class Payments {
  private readonly firstCard: CardName | null;
  private readonly requests: Request[] = [];
  /** The look at which an invoice was first seen. */
  private readonly firstSeen = new Map<string, number>();
  private look = 0;

  constructor(firstCard: CardName | null) {
    this.firstCard = firstCard;
  }

  /** The customer's default card. */
  get card(): CardName | null {
    return this.cardBefore(Infinity);
  }

  changeCard(at: Moment, card: CardName): void {
    this.requests.push({ look: this.look, at, what: { card } });
  }

  pay(at: Moment, invoiceId: string): void {
    this.requests.push({ look: this.look, at, what: { invoiceId } });
  }

  /** Compares the attempts on each invoice up to `now` with those that the rules predict, and the subscription's state with them. */
  compare({ invoices, attempts, subscription }: Sight, now: Moment): Finding[] {
    const findings: Finding[] = [];
    const charged = invoices.filter(({ kind, issuedAt }) => kind !== 'credit_purchase' && issuedAt !== null);
    for (const { id } of charged) if (!this.firstSeen.has(id)) this.firstSeen.set(id, this.look);
    this.look += 1;
    for (const invoice of charged) {
      const expected = this.predict(invoice, now);
      const seen = attempts[invoice.id] ?? [];
      const actual = seen.map(({ createdAt, status, retry }) => text(Date.parse(createdAt), status, retry));
      const texts = expected.attempts.map(({ at, status, retry }) => text(at, status, retry));
      // What closed the invoice can come before or after a charge of the same instant.
      const sure = expected.attempts.filter(({ at }) => at !== closedAt(invoice)).length;
      const isRight = actual.length >= sure && texts.slice(0, actual.length).join() === actual.join();
      const problem = `the charges of the invoice of ${invoice.createdAt}`;
      if (!isRight)
        findings.push({
          property: 'attempts',
          problem,
          expected: texts.join('; '),
          actual: actual.join('; '),
        });
      const next = invoice.paymentRetries?.nextAttemptAt ?? null;
      if (invoice.status === 'open' && next !== (expected.next === null ? null : iso(expected.next)))
        findings.push({
          property: 'attempts',
          problem: `the next retry of the invoice of ${invoice.createdAt}`,
          expected: expected.next === null ? 'none' : iso(expected.next),
          actual: next ?? 'none',
        });
    }
    const isOverdue = charged.some(
      ({ id, status }) => status === 'open' && attempts[id]?.at(-1)?.status === 'failed',
    );
    const state = isOverdue ? 'past_due' : 'active';
    if (['active', 'past_due'].includes(subscription.status) && subscription.status !== state)
      findings.push({
        property: 'attempts',
        problem: 'the subscription is',
        expected: state,
        actual: subscription.status,
      });
    return findings;
  }

  /** The attempts on an invoice up to `now`, or up to its end, and the retry that is planned then. */
  private predict(invoice: SeenInvoice, now: Moment): { attempts: Attempt[]; next: Moment | null } {
    const look = this.firstSeen.get(invoice.id)!;
    const until = Math.min(now, closedAt(invoice) ?? Infinity);
    const attempts: Attempt[] = [];
    let plan: Plan | null = null;
    let made = 0;
    let isPaid = false;
    let gaveUp = false;
    const charge = (at: Moment, card: CardName | null, isRetry: boolean): void => {
      if (card === null || isPaid) return;
      if (isRetry) made += 1;
      const declines = { pays: 0, declinesTwice: 2, declines: Infinity, stolen: Infinity }[card];
      isPaid = attempts.length >= declines;
      attempts.push({ at, status: isPaid ? 'succeeded' : 'failed', retry: isRetry ? made : null });
      if (isPaid) plan = null;
      else if (!gaveUp) plan = planAfter(at, card, made, isRetry ? null : plan);
    };
    /** Does what is planned up to an instant. */
    const pass = (to: Moment): void => {
      while (plan !== null && !gaveUp && timeOf(plan) <= to) {
        if ('next' in plan) charge(plan.next, this.cardBefore(Infinity, plan.next), true);
        else gaveUp = true;
      }
    };
    charge(Date.parse(invoice.issuedAt!), this.cardBefore(look), false);
    for (const request of this.requests.filter((one) => one.look >= look)) {
      pass(Math.min(request.at, until));
      if (request.at > until) break;
      const isAboutIt = 'card' in request.what ? plan !== null : request.what.invoiceId === invoice.id;
      if (isAboutIt) charge(request.at, this.cardBefore(request.look + 1), false);
    }
    pass(until);
    return {
      attempts,
      next: plan !== null && !gaveUp && 'next' in plan ? (plan as { next: Moment }).next : null,
    };
  }

  /** The default card before the look with this number, or at an instant. */
  private cardBefore(look: number, at = Infinity): CardName | null {
    let card = this.firstCard;
    for (const one of this.requests)
      if (one.look < look && one.at < at && 'card' in one.what) card = one.what.card;
    return card;
  }
}

function planAfter(at: Moment, card: CardName, made: number, before: Plan | null): Plan {
  const left = RETRY_DAYS.slice(made);
  if (card === 'stolen') return { ends: at + left.reduce((sum, days) => sum + days, 0) * DAY };
  // A charge that was no planned retry leaves a planned one where it is.
  if (before !== null && 'next' in before) return before;
  return left[0] === undefined ? { ends: at } : { next: at + left[0] * DAY };
}

function timeOf(plan: Plan): Moment {
  return 'next' in plan ? plan.next : plan.ends;
}

/** When an invoice was paid or voided; undefined if it is still owed. */
function closedAt({ status, paidAt, voidedAt }: SeenInvoice): Moment | undefined {
  const at = status === 'paid' ? paidAt : status === 'void' ? voidedAt : null;
  return at === null ? undefined : Date.parse(at);
}

function text(at: Moment, status: string, retry: number | null): string {
  return `${iso(at)} ${status}${retry === null ? '' : ` (retry ${retry})`}`;
}
