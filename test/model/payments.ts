import { Decimal } from 'decimal.js';
import { DAY, iso, type Moment } from './calendar.ts';
import type { SeenAttempt, SeenInvoice, Sight } from './observed.ts';
import type { PaymentRequest } from './payment-requests.ts';
import { differ, type Finding } from './properties.ts';

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
  readonly what: Deed;
}

type Deed =
  /** Another default card. */
  | { readonly card: CardName }
  /** A request to pay this invoice. */
  | { readonly invoiceId: string }
  /** A recorded payment of all that was due. */
  | { readonly settled: string }
  | Reopening;

/** The reversal of a payment of an invoice that was paid then. */
interface Reopening {
  readonly reopened: string;
  readonly closedAt: Moment;
}

interface Attempt {
  readonly at: Moment;
  readonly status: 'succeeded' | 'failed';
  /** The number of the planned retry; null if it is none. */
  readonly retry: number | null;
}

/** What follows after an attempt that failed: a retry, or the end of the retries. */
type Plan =
  { readonly next: Moment } | { readonly ends: Moment; readonly why: 'final_decline' | 'exhausted' };

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
  /** What customers paid to their balance, less what was paid out of it. */
  receivedOnBalance = new Decimal(0);
  /** What was given to the balance, less what was taken, without money. */
  givenToBalance = new Decimal(0);

  constructor(firstCard: CardName | null) {
    this.firstCard = firstCard;
  }

  /** What was given to the balance without an invoice, less what was taken. */
  get given(): Decimal {
    return this.receivedOnBalance.plus(this.givenToBalance);
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

  /** A request about money besides was accepted. `sight`: before it. */
  accepted(at: Moment, { after, adjusts }: PaymentRequest, { invoices }: Sight): void {
    if (adjusts?.isMoney) this.receivedOnBalance = this.receivedOnBalance.plus(adjusts.amount);
    else if (adjusts) this.givenToBalance = this.givenToBalance.plus(adjusts.amount);
    const before = invoices.find(({ id }) => id === after.invoiceId);
    if (!before) return;
    const closed = closedAt(before);
    if (after.status === 'paid') this.requests.push({ look: this.look, at, what: { settled: before.id } });
    else if (closed !== undefined)
      this.requests.push({ look: this.look, at, what: { reopened: before.id, closedAt: closed } });
  }

  /** Compares the attempts on each invoice up to `now` with those that the rules predict, and the subscription's state with them. */
  compare({ invoices, attempts, subscription }: Sight, now: Moment): Finding[] {
    const findings: Finding[] = [];
    const charged = invoices.filter(({ kind, issuedAt }) => kind !== 'credit_purchase' && issuedAt !== null);
    for (const { id } of charged) if (!this.firstSeen.has(id)) this.firstSeen.set(id, this.look);
    this.look += 1;
    for (const invoice of charged) {
      const refused = (attempts[invoice.id] ?? []).filter(isTooSmall);
      if ((attempts[invoice.id] ?? []).some((one) => isTooSmall(one) !== one.amount < SMALLEST_CHARGE))
        findings.push({
          property: 'attempts',
          problem: `the charges of the invoice of ${invoice.createdAt}`,
          expected: `charges below ${SMALLEST_CHARGE} are refused as too small, and no others`,
          actual: (attempts[invoice.id] ?? [])
            .map(({ amount, status, failureCode }) => `${amount} ${failureCode ?? status}`)
            .join('; '),
        });
      // A refusal ends the retries, and what was due of the invoice is not known of each of its charges.
      if (refused.length > 0) continue;
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
      const { nextAttemptAt = null, ended = null } = invoice.paymentRetries ?? {};
      if (invoice.status === 'open')
        findings.push(
          ...differ(
            'attempts',
            `what follows on the charges of the invoice of ${invoice.createdAt}`,
            planText(expected.plan),
            nextAttemptAt ?? ended ?? 'nothing',
          ),
        );
    }
    const isOverdue = charged.some(({ id, status }) => status === 'open' && isDeclined(attempts[id] ?? []));
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

  /** The attempts on an invoice up to `now`, and what follows then. */
  private predict(invoice: SeenInvoice, now: Moment): { attempts: Attempt[]; plan: Plan | null } {
    const look = this.firstSeen.get(invoice.id)!;
    const attempts: Attempt[] = [];
    let plan: Plan | null = null;
    let made = 0;
    let isPaid = false;
    let gaveUp = false;
    const requests = this.requests.filter((one) => one.look >= look);
    /** When it was closed next, after so many requests: a later reversal has opened it again, or it still is. */
    const closesAfter = (count: number): Moment => {
      const reopened = requests.slice(count).find((one) => reopens(one, invoice));
      return (reopened ? reopened.what.closedAt : closedAt(invoice)) ?? Infinity;
    };
    let closes = closesAfter(0);
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
    const pass = (at: Moment): void => {
      const to = Math.min(at, closes, now);
      while (plan !== null && !gaveUp && timeOf(plan) <= to) {
        if ('next' in plan) charge(plan.next, this.cardBefore(Infinity, plan.next), true);
        else gaveUp = true;
      }
    };
    charge(Date.parse(invoice.issuedAt!), this.cardBefore(look), false);
    for (const [index, request] of requests.entries()) {
      const { what, at } = request;
      pass(at);
      if (reopens(request, invoice)) {
        plan = null;
        isPaid = false;
        closes = closesAfter(index + 1);
      } else if (at > closes) continue;
      else if ('settled' in what) isPaid ||= what.settled === invoice.id;
      else {
        const isDeclined = attempts.at(-1)?.status === 'failed';
        const isAboutIt = 'card' in what ? isDeclined : 'invoiceId' in what && what.invoiceId === invoice.id;
        if (isAboutIt) charge(at, this.cardBefore(request.look + 1), false);
      }
    }
    pass(Infinity);
    return { attempts, plan };
  }

  /** The default card before the look with this number, or at an instant. */
  private cardBefore(look: number, at = Infinity): CardName | null {
    let card = this.firstCard;
    for (const one of this.requests)
      if (one.look < look && one.at < at && 'card' in one.what) card = one.what.card;
    return card;
  }
}

/** The smallest charge of a card in USD, by docs/stripe.md. */
const SMALLEST_CHARGE = 0.5;

function isTooSmall({ failureCode }: SeenAttempt): boolean {
  return failureCode === 'amount_too_small';
}

/** Whether the last charge that a bank could decline was declined. */
function isDeclined(attempts: readonly SeenAttempt[]): boolean {
  return attempts.findLast((one) => !isTooSmall(one))?.status === 'failed';
}

function planAfter(at: Moment, card: CardName, made: number, before: Plan | null): Plan {
  const left = RETRY_DAYS.slice(made);
  if (card === 'stolen')
    return { ends: at + left.reduce((sum, days) => sum + days, 0) * DAY, why: 'final_decline' };
  // A charge that was no planned retry leaves a planned one where it is.
  if (before !== null && 'next' in before) return before;
  return left[0] === undefined ? { ends: at, why: 'exhausted' } : { next: at + left[0] * DAY };
}

function planText(plan: Plan | null): string {
  if (plan === null) return 'nothing';
  return 'next' in plan ? iso(plan.next) : plan.why;
}

function reopens(request: Request, { id }: SeenInvoice): request is Request & { what: Reopening } {
  return 'reopened' in request.what && request.what.reopened === id;
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
