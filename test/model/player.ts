import { isDeepStrictEqual } from 'node:util';
import { Decimal } from 'decimal.js';
import type { Answer } from './client.ts';
import { DAY, iso, SECOND, type Moment } from './calendar.ts';
import {
  ADD_ONS,
  amountOf,
  COUPONS,
  EVENT,
  LICENSE_PRICES,
  LICENSE_TYPE,
  PLANS,
  price,
  type AddOn,
  type CouponTerms,
  type PlanName,
  type PriceName,
} from './catalog.ts';
import { compareBooks, compareChanges, compareWallets } from './credit-properties.ts';
import { creditRequest } from './credit-requests.ts';
import { CREDIT_TYPE_NAMES, type CreditTypeName } from './credits.ts';
import { DUNNING_DAYS, type Lane } from './lane.ts';
import { Model } from './model.ts';
import {
  purchasesIn,
  type SeenInvoice,
  type SeenLedgerEntry,
  type SeenNote,
  type SeenPreview,
  type SeenSubscription,
  type SeenWallet,
  type Sight,
  type SeenAttempt,
} from './observed.ts';
import type {
  AskedTarget,
  CreditOperation,
  GatewayReturn,
  History,
  Operation,
  PaymentOperation,
  Target,
  When,
} from './operations.ts';
import { compareAccounts, compareAmounts, comparePaid } from './payment-properties.ts';
import { paymentRequest } from './payment-requests.ts';
import { CARDS, Payments, type CardName } from './payments.ts';
import {
  checkSummary,
  compareRevenue,
  monthOf,
  nameOf,
  nextMonth,
  type SeenMonth,
  type SeenRevenue,
} from './revenue.ts';
import * as properties from './properties.ts';
import type { AppliedCoupon, Finding } from './properties.ts';

/** What came of a history: what is wrong at the first step where something is, and how each operation ended. */
export interface Played {
  readonly startedAt: string;
  readonly findings: readonly Finding[];
  /** The operation after which that was seen; `start` and `end` besides. */
  readonly after: string;
  readonly outcomes: readonly { readonly type: Operation['type']; readonly outcome: Outcome }[];
  readonly invoices: number;
}

/** `skipped`: there was nothing to do it to, or the rules leave open what comes of it. */
export type Outcome = 'done' | 'refused' | 'skipped';

/** Changes what was seen before the properties look at it: to plant a defect. */
export type Planting = (sight: Sight) => Sight;

class Found extends Error {
  readonly findings: readonly Finding[];
  constructor(findings: readonly Finding[]) {
    super(findings[0]?.problem);
    this.findings = findings;
  }
}

/** Plays a history in a lane, and holds it against the model after each step. Ends at the first step with a finding. */
export async function play(
  lane: Lane,
  history: History,
  plant: Planting = (sight) => sight,
): Promise<Played> {
  const outcomes: { type: Operation['type']; outcome: Outcome }[] = [];
  let after = 'start';
  let player: Player | undefined;
  let findings: readonly Finding[] = [];
  const at = lane.next(history.start.at);
  try {
    player = await Player.begin(lane, history, at, plant);
    for (const [index, operation] of history.operations.entries()) {
      after = `operation ${index + 1}`;
      outcomes.push({ type: operation.type, outcome: await player.perform(operation) });
    }
    after = 'the end';
    await player.end();
  } catch (error) {
    findings = error instanceof Found ? error.findings : [failed(error)];
  }
  try {
    await player?.leave(findings.length === 0);
  } catch (error) {
    findings = [...findings, failed(error)];
  }
  return { startedAt: iso(at), findings, after, outcomes, invoices: player?.invoices ?? 0 };
}

const ABOUT_PAYMENTS: readonly Operation['type'][] = [
  ...(['changeCard', 'pay', 'recordPayment', 'reversePayment', 'payFromBalance'] as const),
  ...(['giveBalance', 'takeBalance', 'refundAtGateway', 'dispute'] as const),
];

/** The ends of months at which a history's revenue is held. */
const MOST_MONTHS = 15;
const NO_REVENUE: SeenRevenue = { recognised: 0, deferred: 0, unbilled: 0, booked: 0 };

const COUPON_TERMS: ReadonlyMap<string, CouponTerms> = new Map(Object.entries(COUPONS));

class Player {
  private readonly lane: Lane;
  private readonly history: History;
  private readonly customerId: string;
  private readonly subscriptionId: string;
  private readonly model: Model;
  private readonly plant: Planting;
  /** Undefined if each charge succeeds at once: nothing is to be seen then. */
  private readonly payments: Payments | undefined;
  private readonly notes: SeenNote[] = [];
  /** The figures of months as they were closed. */
  private readonly closed: SeenMonth[] = [];
  /** The active licenses, the oldest first. */
  private readonly licenses: string[];
  /** The coupons of the subscription. */
  private readonly applied: AppliedCoupon[] = [];
  private sight!: Sight;
  /** Whether money went back at the payment processor. */
  private hasReturns = false;
  private readonly coupons: ReadonlyMap<string, CouponTerms>;

  private constructor(
    lane: Lane,
    history: History,
    ids: { customerId: string; subscriptionId: string; licenses: string[] },
    plant: Planting,
  ) {
    this.lane = lane;
    this.history = history;
    this.customerId = ids.customerId;
    this.subscriptionId = ids.subscriptionId;
    this.licenses = ids.licenses;
    this.plant = plant;
    this.coupons = new Map([...lane.catalog.couponIds].map(([name, id]) => [id, COUPON_TERMS.get(name)!]));
    const { plan, seats, licenses, card, coupon, dunning } = history.start;
    if (coupon !== null)
      this.applied.push({ couponId: lane.catalog.couponIds.get(coupon)!, billedBefore: new Set() });
    const start = { plan, seats, licenses, hasCard: card === 'pays', ratesSince: lane.since, dunning };
    if (isAboutPayments(history)) this.payments = new Payments(card === 'none' ? null : card);
    this.model = new Model(lane.now, start, () => lane.catalog.versions);
  }

  static async begin(lane: Lane, history: History, at: Moment, plant: Planting): Promise<Player> {
    const { client, catalog } = lane;
    const { start } = history;
    must(await lane.moveTo(at));
    await catalog.reset();
    await lane.setDunning(start.dunning);
    const taxRateIds = start.vat ? [catalog.taxRateId] : [];
    const { id: customerId } = await client.make('POST', '/v1/customers', { name: 'Northwind', taxRateIds });
    if (start.card !== 'none') await addCard(lane, customerId, start.card);
    const licenses: string[] = [];
    while (licenses.length < start.licenses) licenses.push(await allocated(lane, customerId));
    const seat = { priceId: catalog.priceIds.get('seat')!, quantity: start.seats };
    const hasSeats = PLANS[start.plan].some((name: PriceName) => name === 'seat');
    const { id: subscriptionId } = await client.make('POST', '/v1/subscriptions', {
      customerId,
      planId: catalog.planIds.get(start.plan)!,
      ...(hasSeats ? { quantities: [seat] } : {}),
      ...(start.coupon === null ? {} : { coupons: [catalog.couponIds.get(start.coupon)!] }),
    });
    const player = new Player(lane, history, { customerId, subscriptionId, licenses }, plant);
    player.sight = {
      invoices: [],
      notes: [],
      balance: 0,
      subscription: {} as SeenSubscription,
      attempts: {},
      wallets: [],
      changes: [],
      accounts: {},
      prepaid: 0,
    };
    await player.settle();
    return player;
  }

  get invoices(): number {
    return this.sight.invoices.length;
  }

  /** Does one operation, and holds what comes of it against the model. */
  async perform(operation: Operation): Promise<Outcome> {
    switch (operation.type) {
      case 'move':
        return this.move(this.moment(operation.to));
      case 'amend':
        return this.amend(operation.to, operation.prorate);
      case 'schedule':
        return this.schedule(operation.to, operation.at);
      case 'migrate':
        return this.migrate(operation.at);
      case 'priceMigration':
        return this.migratePrices(operation.to, operation.at);
      case 'pause': {
        const { at, resumesAfterDays: days } = operation;
        const resumesAt = days === null ? null : this.model.now + days * DAY;
        const isLate = at === 'period_end' && resumesAt !== null && resumesAt <= this.model.periodEnd;
        if (isLate) return 'skipped';
        const body = {
          ...(at === 'now' ? {} : { effectiveAt: 'period_end' }),
          ...(resumesAt === null ? {} : { resumesAt: iso(resumesAt) }),
        };
        return this.ask('pause', body, () => this.model.pause(at, resumesAt), at === 'now');
      }
      case 'resume':
        return this.ask('resume', {}, () => this.model.resume());
      case 'cancel': {
        const { immediately, credit, finalInvoice } = operation;
        const options = { credit, finalInvoice };
        // In a pause there is no period that a cancellation could wait for the end of: the rules leave open what it does.
        const accepted = (answer: unknown): void =>
          this.model.cancel(immediately || (answer as SeenSubscription).status === 'canceled', options);
        return this.ask('cancel', { immediately, ...options }, accepted, immediately || this.model.isPaused);
      }
      case 'coupon': {
        const couponId = this.lane.catalog.couponIds.get(operation.coupon)!;
        const billedBefore = new Set(this.sight.invoices.map(({ id }) => id));
        const applied = (): void => void this.applied.push({ couponId, billedBefore });
        return this.ask('coupons', { couponId }, applied, false);
      }
      case 'void':
        return this.void();
      case 'creditNote':
        return this.creditNote(operation);
      case 'changeCard': {
        const id = await addCard(this.lane, this.customerId, operation.card);
        await this.lane.client.make(
          'POST',
          `/v1/customers/${this.customerId}/payment-methods/${id}/default`,
          {},
        );
        this.payments?.changeCard(this.model.now, operation.card);
        await this.settle();
        return 'done';
      }
      case 'pay':
        return this.pay();
      case 'closeMonths':
        return this.closeMonths();
      case 'recordPayment':
      case 'reversePayment':
      case 'payFromBalance':
      case 'giveBalance':
      case 'takeBalance':
        return this.changePayments(operation);
      case 'refundAtGateway':
      case 'dispute':
        return this.returnAtGateway(operation);
      case 'usage':
        return this.use(operation.units, operation.daysAgo);
      case 'allocate': {
        const license = { customerId: this.customerId, licenseTypeId: LICENSE_TYPE };
        return this.request('/v1/licenses', license, (answered) => {
          this.licenses.push((answered as { id: string }).id);
          this.model.allocate();
        });
      }
      case 'deactivate': {
        const license = operation.license === 'oldest' ? this.licenses.shift() : this.licenses.pop();
        if (license === undefined) return 'skipped';
        return this.request(`/v1/licenses/${license}/deactivate`, {}, () => this.model.deactivate());
      }
      case 'grant':
      case 'spend':
      case 'voidCredits':
      case 'voidBlock':
      case 'purchase':
      case 'payPurchase':
      case 'topUp':
      case 'removeTopUp':
        return this.changeCredits(operation);
    }
  }

  /** Lets the next period begin and ends the subscription in it: so it shows what was paid beyond. */
  async end(): Promise<void> {
    if (!this.model.isEnded) await this.move(this.moment('end'));
    if (!this.model.isEnded) await this.move(this.model.now + DAY);
    if (!this.model.isEnded) await this.ask('cancel', { immediately: true }, () => this.model.cancel(true));
    await this.holdRevenue();
  }

  /** Leaves nothing behind that the clock of the next history could set off. */
  async leave(isSettled: boolean): Promise<void> {
    for (const type of CREDIT_TYPE_NAMES)
      if (this.model.credits.of(type).topUp)
        await this.lane.client.send('DELETE', `${this.walletPath(type)}/auto-top-up`);
    if (isSettled && this.model.isEnded) return;
    await this.lane.client.send('POST', `${this.path}/cancel`, { immediately: true });
    must(await this.lane.moveTo(this.lane.now));
  }

  private get path(): string {
    return `/v1/subscriptions/${this.subscriptionId}`;
  }

  private moment(when: When | 'end' | 'middle'): Moment {
    const { now, periodEnd, interval, anchor } = this.model;
    const hasPeriod = this.model.status === 'active';
    switch (when) {
      case 'middle':
        return hasPeriod ? now + Math.floor((periodEnd - now) / 2 / SECOND) * SECOND : now + 7 * DAY;
      case 'just before the end':
        return hasPeriod && periodEnd - SECOND >= now ? periodEnd - SECOND : now + DAY;
      case 'end':
        return hasPeriod ? periodEnd : now + 20 * DAY;
      case 'ten days':
        return now + 10 * DAY;
      case 'two periods':
        return hasPeriod ? periodEnd + (interval * 31 + (anchor % 5)) * DAY : now + 45 * DAY;
    }
  }

  private async move(to: Moment): Promise<Outcome> {
    this.model.dunningSteps = this.dunningSteps();
    const preview = await this.send('POST', `${this.path}/invoices/compute`, {});
    // So is a step of dunning. A price migration within the period is not the subscription's own until it takes effect.
    const step = this.model.nextStep;
    const isForeseen = !this.model.hasMigrationWithin && (step === null || step > to);
    const seen = new Set(this.sight.invoices.map(({ id }) => id));
    const answer = await this.lane.moveTo(to);
    if (answer.status !== 200)
      throw new Found([problem('answer', `the clock to ${iso(to)}`, '200', JSON.stringify(answer))]);
    await this.look(() => this.model.moveTo(to));
    if (preview.status === 200) {
      const shown = preview.body as SeenPreview;
      const first = this.sight.invoices.find(({ id, kind }) => kind !== 'credit_purchase' && !seen.has(id));
      const isDue = Date.parse(shown.billedAt) <= to;
      if (isForeseen && (first || isDue)) this.hold(properties.comparePreview(shown, first));
    }
    return 'done';
  }

  /** When the last step of dunning comes for each invoice that is open. */
  private dunningSteps(): readonly Moment[] {
    if (this.history.start.dunning === 'none') return [];
    return this.sight.invoices
      .filter(({ status, amountDue }) => status === 'open' && amountDue > 0)
      .map(({ issuedAt }) => Date.parse(issuedAt!) + DUNNING_DAYS * DAY)
      .toSorted((a, b) => a - b);
  }

  private async amend(asked: AskedTarget, prorate: boolean): Promise<Outcome> {
    const target = this.other(asked);
    if (!target) return 'skipped';
    // When a fee begins that takes the place of one without a seat, for which nothing was paid, is not written.
    if (!prorate && this.model.terms.fees.some(({ quantity }) => quantity === 0)) return 'skipped';
    const body = { ...this.requestOf(target), prorate };
    const preview = await this.send('POST', `${this.path}/amend`, { ...body, preview: true });
    const seen = new Set(this.sight.invoices.map(({ id }) => id));
    const outcome = await this.ask('amend', body, () => this.model.amend(target, prorate));
    if (outcome === 'done') {
      const shown = (preview.body as { invoice: SeenPreview | null }).invoice;
      if (preview.status !== 200)
        this.hold([problem('preview', 'an amendment', 'a preview', JSON.stringify(preview))]);
      this.hold(
        properties.comparePreview(
          shown,
          this.sight.invoices.find(({ id, kind }) => kind !== 'credit_purchase' && !seen.has(id)),
        ),
      );
    }
    return outcome;
  }

  private async schedule(asked: AskedTarget, when: 'period_end' | 'end' | 'middle'): Promise<Outcome> {
    const target = this.other(asked)!;
    const at = when === 'period_end' ? when : this.moment(when);
    if (this.model.hasScheduled(at, 'migrations')) return 'skipped';
    const body = { ...this.requestOf(target), effectiveAt: at === 'period_end' ? at : iso(at) };
    return this.ask(
      'schedule-amendment',
      body,
      () => this.model.schedule(at, target, at !== 'period_end'),
      false,
    );
  }

  /** Makes new versions of the subscription's fees, and moves it to them. */
  private async migrate(at: 'now' | 'period_end'): Promise<Outcome> {
    if (at === 'period_end' && this.model.hasScheduled(at, 'migrations')) return 'skipped';
    for (const { price } of this.model.terms.fees)
      if (amountOf(price, 1) !== amountOf(price, 2)) await this.lane.catalog.raise(price);
    const body = at === 'now' ? {} : { effectiveAt: at };
    const accepted = (): void =>
      at === 'now' ? this.model.amend('newest', true) : this.model.schedule(at, 'newest', false);
    return this.ask('migrate', body, accepted, at === 'now');
  }

  private async migratePrices(plan: PlanName, when: 'end' | 'middle'): Promise<Outcome> {
    const { terms, status } = this.model;
    const at = this.moment(when);
    // Whether a change of one kind takes the place of another kind for the same instant is not written.
    if (plan === terms.plan || status !== 'active' || this.model.hasScheduled(at, 'all')) return 'skipped';
    const { planIds } = this.lane.catalog;
    const body = {
      name: 'Prices',
      fromPlanId: planIds.get(terms.plan),
      toPlanId: planIds.get(plan),
      effectiveAt: iso(at),
      customerIds: [this.customerId],
    };
    const accepted = (): void => this.model.schedule(at, { plan }, true, { from: terms.plan });
    return this.request('/v1/price-migrations', body, accepted, false);
  }

  private async void(): Promise<Outcome> {
    const invoice = this.sight.invoices.findLast(({ status }) => ['open', 'uncollectible'].includes(status));
    if (!invoice) return 'skipped';
    return this.request(`/v1/invoices/${invoice.id}/void`, {}, () => this.model.voided(invoice.id));
  }

  private async pay(): Promise<Outcome> {
    const invoice = this.sight.invoices.findLast(({ status }) => status === 'open');
    if (!invoice) return 'skipped';
    const path = `/v1/invoices/${invoice.id}/pay`;
    const answer = await this.send('POST', path, {});
    const { code } = answer.body as { code?: string };
    if (answer.status >= 300 && code !== 'payment_declined') return this.refused(path);
    this.payments?.pay(this.model.now, invoice.id);
    await this.settle();
    return 'done';
  }

  /** Lets the payment processor refund a card payment, or the bank dispute it. */
  private async returnAtGateway(operation: GatewayReturn): Promise<Outcome> {
    const paid = this.sight.invoices.filter(
      (invoice) => invoice.kind !== 'credit_purchase' && invoice.amountPaid > 0,
    );
    const invoice = paid.at(operation.invoice === 'newest' ? -1 : 0);
    if (!invoice) return 'skipped';
    const amount =
      operation.part === 'all' ? undefined : Math.max(0.01, Math.floor(invoice.total * 40) / 100);
    const body = { invoiceId: invoice.id, amount };
    const path = operation.type === 'dispute' ? '/v1/sandbox/disputes' : '/v1/sandbox/refunds';
    const takeBack = (answered: unknown): void => {
      this.hasReturns = true;
      properties.takeBack(
        this.model,
        invoice.id,
        (answered as { amount: number }).amount,
        this.history.start.vat,
      );
    };
    if (operation.type === 'refundAtGateway') return this.request(path, body, takeBack);
    const { decision } = operation;
    const dispute = await this.send('POST', path, body);
    if (dispute.status >= 300) return this.refused(path);
    const { id } = dispute.body as { id: string };
    return this.request(`${path}/${id}/close`, { status: decision }, (answered) => {
      if (decision === 'lost') takeBack(answered);
    });
  }

  /** Closes the months that are over. The first one to be closed in a lane is the newest of them. */
  private async closeMonths(): Promise<Outcome> {
    const { lane, model } = this;
    // A month can be closed when it is over in all time zones.
    const over = monthOf(model.now - DAY / 2);
    let end = lane.closedTo === null ? over : nextMonth(lane.closedTo);
    if (end > over) return 'skipped';
    for (; end <= over; end = nextMonth(end)) {
      const closed = await lane.client.makeComplete<{ data: SeenMonth[] }>('POST', '/v1/revenue/generate', {
        period: nameOf(end),
        skipEarlierMonths: true,
      });
      this.closed.push(...closed.data);
      lane.closedTo = end;
      model.measureAgain(end);
    }
    await this.look();
    return 'done';
  }

  /** Holds what is earned, deferred and unbilled at the end of each month against the model. */
  private async holdRevenue(): Promise<void> {
    const { model, lane, history } = this;
    const ends = model.monthEnds.slice(0, MOST_MONTHS);
    const [first, last] = [ends[0], ends.at(-1)];
    if (!first || !last) return;
    const of = (to: Moment): string => `from=${nameOf(first.at)}&to=${nameOf(to)}&currency=USD`;
    const { data: months } = await lane.client.get<{ data: SeenMonth[] }>(
      `/v1/revenue/summary?${of(last.at)}`,
    );
    const customers = await Promise.all(
      ends.map(async ({ at }) => {
        const path = `/v1/revenue/contracts?${of(at)}&groupBy=customer`;
        const { data } = await lane.client.get<{ data: (SeenRevenue & { id: string })[] }>(path);
        return data.find(({ id }) => id === this.customerId) ?? NO_REVENUE;
      }),
    );
    const { revenue } = this.plant({ ...this.sight, revenue: { customers, months } });
    // Which coupons an accrual has, and what credits are worth, the model does not say.
    // Nor how what went back at the payment processor divides over time.
    const isFull = !isDiscounted(history) && !model.credits.isUsed && !this.hasReturns;
    this.hold([
      ...ends.flatMap((end, index) => compareRevenue(model, end, revenue!.customers[index]!, isFull)),
      ...checkSummary(
        revenue!.months,
        this.closed.filter(({ month }) => months.some((one) => one.month === month)),
      ),
    ]);
  }

  /** Does what is asked for with money that no gateway charges. The model says what comes of it. */
  private async changePayments(operation: PaymentOperation): Promise<Outcome> {
    const before = this.sight;
    // When the steps of an invoice come that is open again after its due date is not written.
    if (operation.type === 'reversePayment' && this.history.start.dunning !== 'none') return 'skipped';
    const asked = paymentRequest(operation, before, this.customerId);
    if (!asked) return 'skipped';
    const { method, path, body, refusal, after } = asked;
    const answer = await this.send(method, path, body);
    const { code = null } = (answer.status < 300 ? {} : answer.body) as { code?: string | null };
    this.hold(properties.differ('payments', `${method} ${path}`, refusal ?? 'accepted', code ?? 'accepted'));
    if (refusal !== null) return this.refused(path);
    this.payments?.accepted(this.model.now, asked, before);
    await this.settle();
    this.hold(comparePaid(operation.type, after, this.sight));
    return 'done';
  }

  private async creditNote(operation: Operation & { type: 'creditNote' }): Promise<Outcome> {
    const { over, percent, to } = operation;
    const charging = this.sight.invoices.filter(({ total, status }) => total > 0 && status !== 'void');
    const invoice = charging.at(operation.invoice === 'newest' ? -1 : 0);
    const line = invoice?.lines.find(({ amount }) => amount > 0);
    if (!invoice || !line) return 'skipped';
    const part = (amount: number): number => Math.max(0.01, Math.floor(amount * percent) / 100);
    const body = {
      reason: 'service_issue',
      ...(over === 'line' ? { lines: [{ lineId: line.id, amount: part(line.amount) }] } : {}),
      ...(over === 'amount' ? { amount: part(invoice.total) } : {}),
      ...(to === 'default' ? {} : { to }),
    };
    return this.request(`/v1/invoices/${invoice.id}/credit-note`, body, (answered) => {
      const note = answered as SeenNote;
      // The customer would keep the credits.
      if (invoice.kind === 'credit_purchase')
        this.hold([problem('refusal', 'a credit note on a purchase', 'refused', 'accepted')]);
      this.notes.push(note);
      this.hold(properties.takeOff(this.model, note, this.history.start.vat));
    });
  }

  private async use(units: number, daysAgo: number): Promise<Outcome> {
    const at = Math.max(this.model.now - daysAgo * DAY, 0);
    const event = {
      customerId: this.customerId,
      eventName: EVENT,
      timestamp: iso(at),
      properties: { n: units },
    };
    const path = daysAgo === 0 ? '/v1/events' : '/v1/events/backfill';
    return this.request(path, event, () => this.model.use(at, units), false);
  }

  /** Mostly a change should change something: another plan if it is this one, the plan with seats if it has none. */
  private other(target: AskedTarget): Target | undefined {
    const { plan, fees } = this.model.terms;
    if ('add' in target) return this.priceToAdd(target.add);
    if ('remove' in target) return this.priceToRemove(target.remove);
    if ('seats' in target) return fees.some(({ price }) => price === 'seat') ? target : { plan: 'seats' };
    const plans = Object.keys(PLANS) as PlanName[];
    return target.plan === plan ? { plan: plans[(plans.indexOf(plan) + 1) % plans.length]! } : target;
  }

  private priceToAdd(asked: AddOn | 'removed'): Target | undefined {
    const add = asked === 'removed' ? this.model.removed[0] : asked;
    return add === undefined ? undefined : { add };
  }

  /** A fee of the plan is removed only if another recurring one stays, and if it has no units. */
  private priceToRemove(asked: 'added' | 'fee'): Target | undefined {
    const names = this.model.terms.fees.map((fee) => fee.price);
    const isAddOn = (name: PriceName): boolean => ADD_ONS.some((one) => one === name);
    const isFlat = (name: PriceName): boolean =>
      price(name).months > 0 && name !== 'seat' && !LICENSE_PRICES.includes(name);
    const hasOther = (name: PriceName): boolean =>
      names.some((other) => other !== name && !isAddOn(other) && price(other).months > 0);
    const remove =
      asked === 'added'
        ? names.findLast(isAddOn)
        : names.find((name) => !isAddOn(name) && isFlat(name) && hasOther(name));
    return remove === undefined ? undefined : { remove };
  }

  private requestOf(target: Target): object {
    const { planIds, priceIds } = this.lane.catalog;
    if ('add' in target) return { addPrices: [priceIds.get(target.add)!] };
    if ('remove' in target) return { removePrices: [priceIds.get(target.remove)!] };
    return 'plan' in target
      ? { planId: planIds.get(target.plan)! }
      : { quantities: [{ priceId: priceIds.get('seat')!, quantity: target.seats }] };
  }

  private ask(
    what: string,
    body: object,
    accepted: (answer: unknown) => void,
    isAtOnce = true,
  ): Promise<Outcome> {
    return this.request(`${this.path}/${what}`, body, accepted, isAtOnce);
  }

  /** Does what is asked for with the credits of one type. The model says whether it is refused, and with what. */
  private async changeCredits(operation: CreditOperation): Promise<Outcome> {
    const asked = creditRequest(operation, this.model, this.customerId);
    if (!asked) return 'skipped';
    const { method, path, body, refusal, accept, credits } = asked;
    const answer = await this.send(method, path, body);
    const { code = null } = (answer.status < 300 ? {} : answer.body) as { code?: string | null };
    if (code !== refusal)
      this.hold([problem('wallet', `${method} ${path}`, refusal ?? 'accepted', code ?? 'accepted')]);
    if (refusal !== null) return this.refused(path);
    const wallet = this.model.credits.of(operation.credits);
    const before = wallet.topUp;
    const { balance } = await this.lane.client.get<SeenWallet>(this.walletPath(operation.credits));
    const notes = credits === undefined ? [] : await this.notesOf(credits.invoiceId);
    if (credits) this.hold(properties.compareNotes(notes, credits.amount, this.history.start.vat));
    await this.settle(() => {
      const wrong = accept(answer.body);
      if (wrong !== undefined) this.hold([problem('wallet', path, 'as the balance allows', wrong)]);
      // Before anything is settled: but a top-up may be quick, and credits that were paid follow the payment within moments.
      const isAtOnce = operation.type !== 'payPurchase' && before === null;
      if (isAtOnce && wallet.topUp === null && wallet.balanceAt(this.model.now) !== balance)
        this.hold([
          problem(
            'wallet',
            `balance right after ${path}`,
            String(wallet.balanceAt(this.model.now)),
            String(balance),
          ),
        ]);
      for (const note of notes) {
        this.notes.push(note);
        this.hold(properties.takeOff(this.model, note, this.history.start.vat));
      }
    });
    return 'done';
  }

  /** The credit notes on an invoice that were not seen yet. */
  private async notesOf(invoiceId: string): Promise<SeenNote[]> {
    const { data } = await this.lane.client.get<{ data: SeenNote[] }>(
      `/v1/invoices/${invoiceId}/credit-notes`,
    );
    return data.filter(({ id }) => !this.notes.some((note) => note.id === id));
  }

  private walletPath(type: CreditTypeName): string {
    return `/v1/customers/${this.customerId}/wallets/${type}`;
  }

  /** Sends a request. If it is accepted the model is told; if it is refused nothing may have changed. */
  private async request(
    path: string,
    body: object,
    accepted: (answer: unknown) => void,
    isAtOnce = true,
  ): Promise<Outcome> {
    const answer = await this.send('POST', path, body);
    const isAccepted = answer.status < 300;
    if (isAccepted) {
      const tell = (): void => accepted(answer.body);
      await (isAtOnce ? this.settle(tell) : this.look(tell));
      return 'done';
    }
    return this.refused(path);
  }

  /** Nothing may have changed. */
  private async refused(path: string): Promise<Outcome> {
    const before = this.sight;
    await this.look();
    if (!isDeepStrictEqual(before, this.sight))
      this.hold([
        problem('refusal', `${path} was refused`, JSON.stringify(before), JSON.stringify(this.sight)),
      ]);
    return 'refused';
  }

  private async send(method: string, path: string, body: object): Promise<Answer> {
    const answer = await this.lane.client.send(method, path, body);
    const { code, message } = (answer.body ?? {}) as { code?: string; message?: string };
    if (answer.status >= 500)
      this.hold([problem('answer', `${method} ${path}`, 'no 5xx', JSON.stringify(answer))]);
    if (answer.status >= 300 && !message && !code)
      this.hold([problem('refusal', `${method} ${path}`, 'a code and a message', JSON.stringify(answer))]);
    return answer;
  }

  /** Waits until all that the last request led to is done, and looks. For what changes something now. */
  private async settle(tell?: () => void): Promise<void> {
    const answer = await this.lane.moveTo(this.lane.now);
    if (answer.status !== 200)
      this.hold([problem('answer', 'the clock where it is', '200', JSON.stringify(answer))]);
    await this.look(tell);
  }

  /** Looks at everything, tells the model what was done, and holds the one against the other. */
  private async look(tell: () => void = () => undefined): Promise<void> {
    const seen = new Set(this.sight.invoices.map(({ id }) => id));
    const shown = await this.see();
    const { model } = this;
    model.credits.seen.push(...purchasesIn(shown.invoices.filter(({ id }) => !seen.has(id))));
    tell();
    model.settleCredits(true);
    const inWallets = model.credits.isUsed
      ? { changes: await this.changes(), prepaid: await this.prepaid() }
      : { changes: [], prepaid: 0 };
    this.sight = this.plant({ ...shown, ...inWallets, notes: [...this.notes] });
    const { sight } = this;
    const { catalog } = this.lane;
    if (model.isOpen) throw new Found([]);
    const fresh = sight.invoices.filter(({ id }) => !seen.has(id));
    const given = this.payments?.given ?? new Decimal(0);
    this.hold([
      ...properties.compareBills(model, fresh, catalog),
      ...properties.compareTerms(model, sight, catalog),
      ...properties.checkRefunds(fresh, sight, this.history.start.vat, given),
      ...properties.checkInvoices(sight, this.history.start.vat),
      ...properties.checkCoupons(sight, {
        terms: this.coupons,
        onlyOne: this.applied.length === 1 ? this.applied[0]! : null,
        periodStarts: model.periodStarts,
      }),
      ...properties.compareTotals(model, sight, this.history.start.vat, given),
      ...this.comparePayments(),
      ...compareWallets(model, sight.wallets),
      ...(model.credits.isUsed ? [...compareChanges(model, sight), ...compareBooks(model, sight)] : []),
    ]);
  }

  private comparePayments(): Finding[] {
    const { payments, sight, model } = this;
    if (!payments) return [];
    return [
      ...payments.compare(sight, model.now),
      ...compareAmounts(sight),
      ...compareAccounts(payments, sight),
    ];
  }

  private async see(): Promise<Omit<Sight, 'notes' | 'changes' | 'prepaid'>> {
    const { client } = this.lane;
    const [{ data: invoices }, { data: balances }, subscription, { data: wallets }] = await Promise.all([
      client.get<{ data: SeenInvoice[] }>(`/v1/invoices?customer_id=${this.customerId}&page_size=100`),
      client.get<{ data: { balance: number }[] }>(`/v1/customers/${this.customerId}/balances`),
      client.get<SeenSubscription>(this.path),
      client.get<{ data: SeenWallet[] }>(`/v1/customers/${this.customerId}/wallets`),
    ]);
    return {
      wallets,
      attempts: this.payments ? await this.attempts(invoices) : {},
      accounts: this.payments ? await this.accounts() : {},
      invoices: invoices.toReversed(),
      balance: balances[0]?.balance ?? 0,
      subscription,
    };
  }

  private async attempts(invoices: readonly SeenInvoice[]): Promise<Sight['attempts']> {
    const of = await Promise.all(
      invoices.map(async ({ id }) => {
        const { data } = await this.lane.client.get<{ data: SeenAttempt[] }>(
          `/v1/invoices/${id}/payment-attempts`,
        );
        return [id, data] as const;
      }),
    );
    return Object.fromEntries(of);
  }

  private async accounts(): Promise<Sight['accounts']> {
    const { data } = await this.lane.client.get<{
      data: { account: string; debit: number; credit: number }[];
    }>(`/v1/ledger/entries?customer_id=${this.customerId}&limit=1000`);
    return Object.fromEntries(
      [...Map.groupBy(data, ({ account }) => account)].map(([account, entries]) => [
        account,
        properties.sum(entries.flatMap(({ debit, credit }) => [debit, -credit])).toNumber(),
      ]),
    );
  }

  private async changes(): Promise<SeenLedgerEntry[]> {
    const lists = await Promise.all(
      CREDIT_TYPE_NAMES.map((type) =>
        this.lane.client.get<{ data: SeenLedgerEntry[] }>(`${this.walletPath(type)}/ledger?limit=100`),
      ),
    );
    return lists.flatMap(({ data }) => data);
  }

  private async prepaid(): Promise<number> {
    const { data } = await this.lane.client.get<{ data: { debit: number; credit: number }[] }>(
      `/v1/ledger/entries?account=prepaid_credits&customer_id=${this.customerId}&limit=100`,
    );
    return properties.sum(data.flatMap(({ debit, credit }) => [credit, -debit])).toNumber();
  }

  private hold(findings: readonly Finding[]): void {
    if (findings.length > 0) throw new Found(findings);
  }
}

function problem(property: Finding['property'], what: string, expected: string, actual: string): Finding {
  return { property, problem: what, expected, actual };
}

function isAboutPayments({ start, operations }: History): boolean {
  if (start.card !== 'pays' && start.card !== 'none') return true;
  return operations.some(({ type }) => ABOUT_PAYMENTS.includes(type));
}

function isDiscounted({ start, operations }: History): boolean {
  return start.coupon !== null || operations.some(({ type }) => type === 'coupon');
}

/** Adds a card, and returns its id. */
async function addCard({ client }: Lane, customerId: string, card: CardName): Promise<string> {
  const method = { type: 'test', ...CARDS[card] };
  return (await client.make('POST', `/v1/customers/${customerId}/payment-methods`, method)).id;
}

async function allocated({ client }: Lane, customerId: string): Promise<string> {
  return (await client.make('POST', '/v1/licenses', { customerId, licenseTypeId: LICENSE_TYPE })).id;
}

/** What must succeed did not. */
function failed(error: unknown): Finding {
  return problem('answer', 'a request that must succeed', 'an answer', String(error));
}

function must({ status, body }: Answer): void {
  if (status !== 200) throw new Error(`The clock was not moved: ${JSON.stringify(body)}`);
}
