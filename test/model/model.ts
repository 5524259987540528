import { Decimal } from 'decimal.js';
import { addMonths, DAY, periodAt, type Moment } from './calendar.ts';
import { ADD_ONS, amountOf, LICENSE_PRICES, PLANS, price, type PlanName, type PriceName } from './catalog.ts';
import { Charge, GiveBack, isSameFee, type Charged, type Fee, type FeeName } from './charge.ts';
import { CREDIT_TYPE_NAMES } from './credits.ts';
import { CustomerCredits } from './customer-credits.ts';
import type { Billed } from './observed.ts';
import { DUNNING_DAYS } from './lane.ts';
import type { CancelOptions, DunningAction, Target } from './operations.ts';
import { nextMonth, type MonthEnd } from './revenue.ts';

/** What a subscription has at a time: a plan and its fees. */
export interface Terms {
  readonly plan: PlanName;
  readonly fees: readonly Fee[];
}

type Versions = ReadonlyMap<PriceName, number>;

/** What a customer begins with. */
export interface ModelStart {
  readonly plan: PlanName;
  readonly seats: number;
  readonly licenses: number;
  readonly hasCard: boolean;
  readonly dunning: DunningAction;
  /** Since when usage costs credits. */
  readonly ratesSince: Moment;
}

/** How a subscription ends, or is paused, where nothing is said. */
const BY_DEFAULT: CancelOptions = { credit: 'balance', finalInvoice: true };

/** A fee of the subscription, with how far it was charged. Seats of licenses can grow fewer as a period ends. */
interface Item {
  fee: Fee;
  /** In arrears: since when it is not charged yet. In advance: up to when its time is paid, by whatever fee. */
  chargedTo: Moment;
  /** What an unprorated change left standing, until the end of which the fee waits to be charged. */
  waitsFor: readonly Charge[];
}

/** A stretch of time in which a price per unit was in force. */
interface Metered {
  readonly fee: Fee;
  readonly from: Moment;
  to: Moment | null;
  /** Units of it that were billed; null as long as it lasts. */
  billed: number | null;
  /** When how many of them were. */
  readonly bills: { readonly at: Moment; readonly units: number }[];
}

/** A change that is to come. */
interface Scheduled {
  readonly at: Moment | 'period_end';
  readonly terms: Change;
  readonly prorate: boolean;
  readonly onlyFrom: PlanName | null;
  /** Newer versions of a plan, and price migrations, are for those who are on the plan by then; null: it is another change. */
  readonly onlyOn: PlanName | null;
}

/** The versions of a change are those of when it was asked for, except of a price migration (null). */
interface Change {
  readonly target: Target | 'newest';
  readonly versions: Versions | null;
}

/** What a bill is expected to hold for the usage that came late: it may wait for the renewal, which has all of it. */
export interface LateUsage {
  readonly at: Moment;
  readonly price: PriceName;
  /** What of it no bill had yet. */
  readonly amount: () => Decimal;
  readonly isRenewal: boolean;
  settle(): void;
}

/**
 * Who should have paid for what, by docs/billing-rules.md alone. The model holds a subscription's terms in the course of time, the
 * charges that stand, and the instants to come. It knows no invoices: which coupons a charge had, which invoice it was on and
 * what a credit note took off it, it is told. Credits are by docs/prepaid.md, licenses by docs/licenses.md.
 */
export class Model {
  now: Moment;
  status: 'active' | 'paused' | 'canceled' = 'active';
  /** When it ended; null: it has not. */
  endedAt: Moment | null = null;
  terms: Terms;
  anchor: Moment;
  periodStart: Moment;
  periodEnd: Moment;
  /** All charges that were ever expected. */
  readonly charges: Charge[] = [];
  readonly giveBacks: GiveBack[] = [];
  /** What is expected since the last look at the invoices, in order. */
  expected: (Charge | GiveBack)[] = [];
  expectedLate: LateUsage[] = [];
  /** Where the rules leave open what comes next: the history is not judged any further. */
  isOpen = false;
  /** The ends of months that have passed. */
  readonly monthEnds: MonthEnd[] = [];
  readonly credits: CustomerCredits;
  readonly hasCard: boolean;
  /** The customer's active licenses. */
  licenses: number;
  /** What went back at the payment processor beyond what was left of the charges: before taxes. */
  returnedBeyond = new Decimal(0);
  /** When the last step of dunning comes for each invoice that is open, in order. A look at the invoices says it. */
  dunningSteps: readonly Moment[] = [];
  private readonly dunning: DunningAction;
  /** When each billing period began. */
  readonly periodStarts: Moment[] = [];
  /** The prices that were removed and stay away from later plans, the oldest first. */
  removed: PriceName[] = [];
  private items: Item[] = [];
  /** Up to when fees in arrears were charged, also those that ended. */
  private readonly chargedArrears: { readonly fee: Fee; readonly to: Moment }[] = [];
  private metered: Metered[] = [];
  private readonly used: { at: Moment; units: number }[] = [];
  private scheduled: Scheduled[] = [];
  /** How it ends with its period; null: it goes on. */
  private endsWithPeriod: CancelOptions | null = null;
  private pausesWithPeriod = false;
  private resumesAt: Moment | null = null;
  private pausesUntil: Moment | null = null;
  private readonly newest: () => Versions;
  private readonly began: Moment;

  constructor(at: Moment, start: ModelStart, newest: () => Versions) {
    const { plan, seats, licenses, hasCard, ratesSince, dunning } = start;
    this.now = this.began = at;
    this.newest = newest;
    this.licenses = licenses;
    this.hasCard = hasCard;
    this.dunning = dunning;
    const versions = newest();
    this.terms = {
      plan,
      fees: PLANS[plan].map((name: PriceName) => ({
        price: name,
        version: versions.get(name)!,
        quantity: isLicensed(name) ? licenses : name === 'seat' ? seats : 1,
      })),
    };
    this.credits = new CustomerCredits(ratesSince, {
      hasCard,
      charge: (name, quantity, amount) =>
        this.charge({ price: name, version: 1, quantity }, { from: this.now, to: this.now }, amount, false),
    });
    this.anchor = this.periodStart = this.periodEnd = at;
    this.begin(at, true);
  }

  get isPaused(): boolean {
    return this.status === 'paused';
  }

  get isEnded(): boolean {
    return this.status === 'canceled';
  }

  /** Months of a billing period: the shortest cadence of the fees; a month if there are none. */
  get interval(): number {
    return intervalOf(this.terms.fees);
  }

  /** What all charges that are not void come to, less what was given back: before taxes. */
  get owed(): Decimal {
    return this.charges
      .filter(({ isVoid }) => !isVoid)
      .reduce((sum, { left }) => sum.plus(left), new Decimal(0));
  }

  /** The next instant at which something happens by itself, or null. */
  get nextDue(): Moment | null {
    const due = [...this.credits.duesAfter(this.now), this.nextDueOfTerms ?? [], this.nextStep ?? []].flat();
    return due.length === 0 ? null : Math.min(...due);
  }

  /** Whether a step of dunning would change the subscription. */
  private get canTakeStep(): boolean {
    if (this.dunning === 'none' || this.isEnded) return false;
    return !this.isPaused || this.dunning === 'cancel';
  }

  /** The next step of dunning that changes the subscription. */
  get nextStep(): Moment | null {
    if (!this.canTakeStep) return null;
    return this.dunningSteps.find((at) => at > this.now) ?? null;
  }

  /** The next one of the subscription. */
  private get nextDueOfTerms(): Moment | null {
    if (this.isEnded) return null;
    const due = this.scheduled.flatMap(({ at }) => (at === 'period_end' ? [] : [at]));
    if (this.isPaused) due.push(...(this.resumesAt === null ? [] : [this.resumesAt]));
    else due.push(this.periodEnd);
    return due.length === 0 ? null : Math.min(...due);
  }

  /** Lets time pass. */
  moveTo(to: Moment): void {
    for (let due = this.nextDue; due !== null && due <= to; due = this.nextDue) {
      this.endMonths(due);
      const isStep = due === this.nextStep;
      this.now = due;
      if (due === this.nextDueOfTerms) this.happen(due);
      if (isStep) this.takeStep();
      this.settleCredits(false);
    }
    this.endMonths(to);
    this.now = to;
    // An invoice that was made on the way, and had its last step on the way too, was not looked at.
    const isMissed = this.expected.some(
      (one) => one instanceof Charge && one.amount.gt(0) && one.at + DUNNING_DAYS * DAY <= to,
    );
    if (this.canTakeStep && isMissed) this.isOpen = true;
  }

  /** The last step of dunning, by docs/dunning.md: a pause gives back as any other, a cancellation gives nothing back. */
  private takeStep(): void {
    // What else happens on the way can have settled the invoice.
    if (this.expected.length > 0) this.isOpen = true;
    if (this.dunning === 'pause') this.pause('now', null);
    else this.cancel(true, { credit: 'none', finalInvoice: true });
  }

  /** Before a month is closed its usage is measured once more, unless the next month's end was. */
  measureAgain(end: Moment): void {
    const newest = this.monthEnds.at(-1);
    if (newest?.at === end) newest.usage = this.unbilledUsage(end);
  }

  /** The ends of months up to an instant: each is before all else that happens then. */
  private endMonths(until: Moment): void {
    const last = this.monthEnds.at(-1)?.at ?? this.began;
    for (let at = nextMonth(last); at <= until; at = nextMonth(at))
      this.monthEnds.push({ at, fees: this.unbilledFees(at), usage: this.unbilledUsage(at) });
  }

  /** The fees in arrears that were delivered and not charged. */
  private unbilledFees(end: Moment): Decimal {
    if (this.status !== 'active') return new Decimal(0);
    return this.items
      .filter(({ fee, chargedTo }) => price(fee.price).kind === 'arrears' && chargedTo < end)
      .reduce((sum, item) => sum.plus(this.amountOfStretch(item, end)), new Decimal(0));
  }

  /** The usage until then that is known and was not billed by then. */
  private unbilledUsage(end: Moment): Decimal {
    if (this.status !== 'active') return new Decimal(0);
    return this.metered
      .filter(({ from }) => from < end)
      .reduce((sum, one) => {
        const billed = one.bills.filter(({ at }) => at < end).reduce((all, { units }) => all + units, 0);
        return sum.plus(
          usageAmount(one.fee, this.unitsOf({ ...one, to: Math.min(one.to ?? end, end) }) - billed),
        );
      }, new Decimal(0));
  }

  /** All that follows for credits from what happened at this instant; `hasOrder`: it was a request. */
  settleCredits(hasOrder: boolean): void {
    const { status, terms, anchor, periodStart, periodEnd } = this;
    this.credits.settle({ status, plan: terms.plan, anchor, periodStart, periodEnd }, this.now, hasOrder);
  }

  /** A license begins: a seat more is charged at once, for the rest of the period. One that is paid and free is taken first. */
  allocate(): void {
    this.licenses += 1;
    if (this.status !== 'active') return;
    const isShort = ({ price: name, quantity }: Fee): boolean => isLicensed(name) && quantity < this.licenses;
    const { plan, fees } = this.terms;
    if (fees.some(isShort))
      this.change(
        { plan, fees: fees.map((fee) => (isShort(fee) ? { ...fee, quantity: this.licenses } : fee)) },
        true,
        false,
      );
  }

  /** A license ends: its seat stays until the period ends. */
  deactivate(): void {
    this.licenses -= 1;
  }

  /** The terms that a change would lead to; null if it asks for what is not there, or for what there is already. */
  changed({ target, versions }: Change): Terms | null {
    const newest = versions ?? this.newest();
    const { plan, fees } = this.terms;
    if (target === 'newest')
      return this.unlessSame({
        plan,
        // An added price keeps its version.
        fees: fees.map((fee) => (isAddOn(fee.price) ? fee : { ...fee, version: newest.get(fee.price)! })),
      });
    if ('seats' in target) {
      if (!fees.some((fee) => fee.price === 'seat')) return null;
      return this.unlessSame({
        plan,
        fees: fees.map((fee) => (fee.price === 'seat' ? { ...fee, quantity: target.seats } : fee)),
      });
    }
    if ('add' in target) {
      if (fees.some((fee) => fee.price === target.add)) return null;
      return { plan, fees: [...fees, { price: target.add, version: newest.get(target.add)!, quantity: 1 }] };
    }
    if ('remove' in target) return { plan, fees: fees.filter((fee) => fee.price !== target.remove) };
    // A plan of the catalog has at most one fee with units, so its units go to the one of the next plan.
    const names: readonly PriceName[] = PLANS[target.plan];
    const ended = fees.find((fee) => hasUnits(fee.price) && !names.includes(fee.price));
    const quantityOf = (name: PriceName) =>
      fees.find((fee) => fee.price === name)?.quantity ??
      (isLicensed(name) ? this.licenses : hasUnits(name) ? (ended?.quantity ?? 1) : 1);
    return this.unlessSame({
      plan: target.plan,
      fees: [
        ...names
          .filter((name) => !this.removed.includes(name))
          .map((name) => ({ price: name, version: newest.get(name)!, quantity: quantityOf(name) })),
        // Added prices go with the subscription.
        ...fees.filter((fee) => isAddOn(fee.price)),
      ],
    });
  }

  amend(target: Target | 'newest', prorate: boolean): void {
    const terms = this.changed({ target, versions: this.newest() });
    if (!terms) return;
    if (target !== 'newest' && 'add' in target)
      this.removed = this.removed.filter((name) => name !== target.add);
    if (target !== 'newest' && 'remove' in target && !isAddOn(target.remove))
      this.removed.push(target.remove);
    this.change(terms, prorate, false);
  }

  /** A newer change for an instant takes the place of an older one. */
  schedule(
    at: Moment | 'period_end',
    target: Target | 'newest',
    prorate: boolean,
    migration: { from: PlanName } | null = null,
  ): void {
    const versions = migration ? null : new Map(this.newest());
    const instant = at === 'period_end' ? this.periodEnd : at;
    this.scheduled = this.scheduled.filter(
      (one) => migration !== null || one.onlyFrom !== null || this.instantOf(one) !== instant,
    );
    const onlyFrom = migration?.from ?? null;
    const onlyOn = target === 'newest' ? this.terms.plan : onlyFrom;
    this.scheduled.push({ at, terms: { target, versions }, prorate, onlyFrom, onlyOn });
  }

  /** Whether a change, or a price migration, is scheduled for an instant already. */
  hasScheduled(at: Moment | 'period_end', which: 'migrations' | 'all'): boolean {
    const instant = at === 'period_end' ? this.periodEnd : at;
    return this.scheduled.some(
      (one) => (one.onlyFrom !== null || which === 'all') && this.instantOf(one) === instant,
    );
  }

  /** Whether a price migration takes effect before the present period ends, or may do so in a pause. */
  get hasMigrationWithin(): boolean {
    return this.scheduled.some(
      ({ onlyFrom, at }) => onlyFrom !== null && (this.isPaused || Number(at) < this.periodEnd),
    );
  }

  pause(at: 'now' | 'period_end', resumesAt: Moment | null): void {
    if (at === 'period_end') {
      this.pausesWithPeriod = true;
      this.pausesUntil = resumesAt;
      return;
    }
    this.pausesWithPeriod = false;
    this.stop();
    this.status = 'paused';
    this.resumesAt = resumesAt;
  }

  /** Goes on after a pause, or takes back one that is planned. */
  resume(): void {
    this.pausesWithPeriod = false;
    if (!this.isPaused) return;
    this.status = 'active';
    this.resumesAt = null;
    this.begin(this.now, false);
  }

  cancel(immediately: boolean, options: CancelOptions = BY_DEFAULT): void {
    if (immediately) this.finish(options);
    else this.endsWithPeriod = options;
  }

  /** Units that were used at an instant, told of now. */
  use(at: Moment, units: number): void {
    this.used.push({ at, units });
  }

  /** A bill had usage that came late: what it charged for it can be voided and credited as any other charge. */
  bearLate(name: FeeName, at: Moment, seen: Billed): void {
    const charge = new Charge(
      { price: name, version: 1, quantity: 1 },
      at,
      { from: at, to: at },
      seen.late,
      false,
    );
    charge.left = seen.late.minus(seen.lateDiscount);
    charge.kept = charge.left.div(seen.late);
    charge.lineIds = seen.lateLines.map(({ id }) => id);
    charge.invoiceId = seen.invoiceIds.at(-1);
    this.charges.push(charge);
  }

  /** An invoice was voided: its charges were not paid, and what it gave back counts as paid again. The next bill has its overage. */
  voided(invoiceId: string): void {
    this.credits.voided(invoiceId, this.now);
    for (const charge of this.charges)
      if (charge.invoiceId === invoiceId) {
        for (const type of CREDIT_TYPE_NAMES)
          if (charge.fee.price === `overage of ${type}` && !charge.isVoid)
            this.credits.of(type).overage += charge.fee.quantity;
        charge.voidedAt ??= this.now;
        charge.left = new Decimal(0);
      }
    for (const back of this.giveBacks)
      if (!back.isUndone && back.invoiceIds.includes(invoiceId)) {
        back.undoneAt = this.now;
        if (!back.charge.isVoid) back.charge.left = back.charge.left.plus(back.amount);
        back.charge.standsTo = back.stoodTo;
      }
  }

  private unlessSame(terms: Terms): Terms | null {
    const isSame =
      terms.plan === this.terms.plan &&
      terms.fees.length === this.terms.fees.length &&
      terms.fees.every((fee, i) => isSameFee(fee, this.terms.fees[i]!));
    return isSame ? null : terms;
  }

  private instantOf({ at }: Scheduled): Moment | null {
    return at === 'period_end' ? (this.isPaused ? null : this.periodEnd) : at;
  }

  /** What happens by itself at an instant. An end goes before a pause, that before a change, and that before the renewal. */
  private happen(at: Moment): void {
    const isBoundary = !this.isPaused && at === this.periodEnd;
    const due = this.scheduled.filter((one) => this.instantOf(one) === at);
    this.scheduled = this.scheduled.filter((one) => !due.includes(one));
    if (isBoundary && this.endsWithPeriod) {
      this.finish(this.endsWithPeriod);
      return;
    }
    if (isBoundary && this.pausesWithPeriod) {
      const until = this.pausesUntil;
      this.pausesWithPeriod = false;
      // Where the end of the period has moved past the resumption there is no pause.
      if (until === null || until > at) {
        this.stop();
        this.status = 'paused';
        this.resumesAt = until;
      }
    }
    const newest = due.at(-1);
    const applies = newest && (newest.onlyOn === null || newest.onlyOn === this.terms.plan);
    const terms = applies ? this.changed(newest.terms) : null;
    // Whether a subscription goes to a plan of which it has removed all prices is not written.
    if (terms?.fees.length === 0) this.isOpen = true;
    if (terms) this.change(terms, newest!.prorate, isBoundary);
    else if (isBoundary && !this.isPaused) this.renew();
    if (this.isPaused && this.resumesAt === at) {
      this.status = 'active';
      this.resumesAt = null;
      this.begin(at, false);
    }
  }

  /** Periods begin: at the subscription's start, and after a pause. Then the time is given back that the void of a pause's invoice left. */
  private begin(at: Moment, isStart: boolean): void {
    for (const charge of this.standing(at)) this.giveBack(charge, at);
    this.terms = this.withSeats(() => true);
    this.anchor = this.periodStart = at;
    this.periodStarts.push(at);
    this.periodEnd = addMonths(at, this.interval);
    this.items = [];
    for (const fee of this.terms.fees) this.add(fee, at);
    if (isStart) this.chargeOnce(this.terms.fees);
    // What came late in a pause is on the invoice that ends it.
    this.expectLate(false);
  }

  /** A period ends and the next one begins. */
  private renew(): void {
    const at = this.now;
    this.chargeArrears(at);
    for (const fee of this.openMetered().map(({ fee: one }) => one)) {
      this.closeMetered(fee);
      this.metered.push(newMetered(fee, at));
    }
    this.terms = this.withSeats((fee) => this.endsAt(fee, at));
    for (const item of this.items) {
      item.fee = this.terms.fees.find(({ price: name }) => name === item.fee.price)!;
      this.chargeAdvance(item, at);
    }
    this.nextPeriod(at);
    this.expectLate(true);
    this.credits.bill();
  }

  /** The terms with a seat for each license where a period of the fee ends. */
  private withSeats(ends: (fee: Fee) => boolean): Terms {
    const { plan, fees } = this.terms;
    const counted = (fee: Fee): Fee =>
      isLicensed(fee.price) && ends(fee) ? { ...fee, quantity: this.licenses } : fee;
    return { plan, fees: fees.map(counted) };
  }

  private endsAt({ price: name }: Fee, at: Moment): boolean {
    return periodAt(this.anchor, price(name).months, at).from === at;
  }

  private change(asked: Terms, prorated: boolean, isBoundary: boolean): void {
    const at = this.now;
    const old = this.terms;
    const isNewCadence = intervalOf(asked.fees) !== intervalOf(old.fees);
    this.terms = asked;
    if (!this.isPaused && (isNewCadence || isBoundary))
      this.terms = this.withSeats((fee) => isNewCadence || this.endsAt(fee, at));
    const { terms } = this;
    if (isBoundary) this.credits.bill();
    const added = terms.fees.filter(({ price: name }) => !old.fees.some((fee) => fee.price === name));
    this.chargeOnce(added);
    // In a pause nothing else is charged.
    if (this.isPaused) return;
    const prorate = prorated || isNewCadence || isBoundary;
    const goesOn = (fee: Fee) => !isNewCadence && terms.fees.some((one) => isSameFee(one, fee));
    if (isBoundary) this.chargeArrears(at);
    const ending = this.items.filter(({ fee }) => !goesOn(fee));
    const staying = this.items.filter(({ fee }) => goesOn(fee));
    const beginning = terms.fees.filter(
      (fee) => isNewCadence || !old.fees.some((one) => isSameFee(one, fee)),
    );

    // Usage is cut where its price ends, and where a period does.
    for (const { fee } of this.openMetered())
      if (isBoundary || !goesOn(fee)) {
        this.closeMetered(fee);
        if (goesOn(fee)) this.metered.push(newMetered(fee, at));
      }
    const endedArrears = ending.filter(({ fee }) => price(fee.price).kind === 'arrears');
    // It takes the place of itself, in another version or quantity, or else of the fees that are paired with it.
    const isRecurring = ({ price: name }: Fee) => price(name).months > 0;
    const places = pairsOf(
      ending
        .map(({ fee }) => fee)
        .filter((fee) => isRecurring(fee) && !terms.fees.some((one) => one.price === fee.price)),
      added.filter(isRecurring),
    );
    const isInPlaceOf = (next: Fee, old: Fee) =>
      next.price === old.price || places.some(([from, to]) => from === old.price && to === next.price);
    const endOf = ({ fee, chargedTo }: Item): Moment => {
      if (prorate) return at;
      if (chargedTo > at) return chargedTo;
      const goesOnInArrears = beginning.some(
        (next) => price(next.price).kind === 'arrears' && isInPlaceOf(next, fee),
      );
      const to = goesOnInArrears || at === this.periodStart ? this.periodStart : this.periodEnd;
      return Math.max(chargedTo, to);
    };
    // What is charged ahead stands as if it were paid in advance.
    const ahead = endedArrears.flatMap((item) => this.chargeStretch(item, endOf(item), at) ?? []);

    this.stopWaitingFor(beginning, prorate || at === this.periodStart ? at : this.periodEnd);
    const waitedFor = staying.flatMap((item) => item.waitsFor);
    const left = this.standing(at).filter((charge) => ending.some((item) => isPaidBy(item, charge)));
    // What was charged for a time that begins this very moment: at the start of a period, or by a change of this instant.
    const justCharged = this.standing(at).filter(
      (charge) =>
        charge.from === at &&
        !ahead.includes(charge) &&
        !terms.fees.some((fee) => isSameFee(fee, charge.fee)),
    );
    // A fee in arrears that begins is charged anew, so only one that stays keeps what was charged ahead.
    const keeps = ({ fee }: Charge): boolean =>
      staying.some((item) => isSameFee(item.fee, fee)) ||
      beginning.some((one) => price(one.price).kind !== 'arrears' && isSameFee(one, fee));
    if (prorate) {
      for (const charge of this.standing(at))
        if (
          (isNewCadence && !this.isChargedAnew(charge, terms)) ||
          !(waitedFor.includes(charge) || keeps(charge))
        )
          this.giveBack(charge, at);
    } else for (const charge of justCharged) this.giveBack(charge, at);

    if (isNewCadence) {
      this.anchor = at;
      this.items = [];
    } else this.items = staying;
    if (isBoundary || isNewCadence) this.nextPeriod(at);
    for (const item of staying) {
      if (price(item.fee.price).kind !== 'advance') continue;
      this.chargeAdvance(item, at);
    }
    const inPlaceOf = (fee: Fee) => {
      const itself = ending.filter((item) => item.fee.price === fee.price);
      const others = ending.filter((item) =>
        places.some(([old, next]) => old === item.fee.price && next === fee.price),
      );
      return itself.length > 0 ? itself : others;
    };
    const isPaidAhead = ({ fee, chargedTo, waitsFor }: Item) =>
      price(fee.price).kind === 'advance' || (waitsFor.length > 0 && chargedTo > at);
    for (const fee of beginning)
      if (price(fee.price).kind === 'arrears' && !prorate && inPlaceOf(fee).some(isPaidAhead)) {
        const paid = left.filter((charge) => inPlaceOf(fee).some((item) => isPaidBy(item, charge)));
        const stands = paid.filter((charge) => !justCharged.includes(charge));
        this.items.push({
          fee,
          chargedTo: Math.max(
            at,
            ...(stands.length > 0
              ? stands.map(({ standsTo }) => standsTo)
              : paid.length > 0
                ? []
                : inPlaceOf(fee).map(({ chargedTo }) => chargedTo)),
          ),
          waitsFor: stands,
        });
      } else if (price(fee.price).kind === 'arrears' && !prorate) {
        const before = inPlaceOf(fee)
          .filter((item) => endedArrears.includes(item))
          .map(({ chargedTo }) => chargedTo);
        const itself = this.chargedArrears.filter((one) => isSameFee(one.fee, fee)).map(({ to }) => to);
        this.items.push({
          fee,
          chargedTo: Math.max(this.periodStart, ...itself, ...before.map((to) => Math.min(to, at))),
          waitsFor: [],
        });
      } else if (!prorate) {
        const place = left.filter((charge) => inPlaceOf(fee).some((item) => isPaidBy(item, charge)));
        const paid = place.filter((charge) => !justCharged.includes(charge));
        const isFree = paid.length === 0 && (place.length > 0 || at === this.periodStart);
        if (isFree) this.add(fee, at);
        else this.add(fee, Math.max(this.periodEnd, ...paid.map(({ standsTo }) => standsTo)), paid);
      } else this.add(fee, at);
    this.expectLate(isBoundary && this.hasBill(at));
  }

  /** Whether new periods that begin now would charge the same fee for the same time once more. */
  private isChargedAnew({ fee, from, to }: Charge, { fees }: Terms): boolean {
    const same = fees.find((one) => isSameFee(one, fee));
    return (
      same !== undefined && from === this.now && to === periodAt(from, price(same.price).months, from).to
    );
  }

  /** It ends for good. */
  private finish(options: CancelOptions): void {
    if (this.isPaused) this.endPause(options);
    else this.stop(options);
    this.status = 'canceled';
    this.endedAt = this.now;
  }

  /** It ends in a pause, which has charged everything. The void of the pause's invoice can have left time to give back. */
  private endPause({ credit, finalInvoice }: CancelOptions): void {
    const left = credit === 'none' ? [] : this.standing(this.now);
    for (const charge of left) this.giveBack(charge, this.now);
    // The last invoice has the usage that came late, whatever else it has.
    if (finalInvoice) this.expectLate(false);
    this.credits.bill();
  }

  /** Everything ends: for a pause, or for good. */
  private stop({ credit, finalInvoice }: CancelOptions = BY_DEFAULT): void {
    const at = this.now;
    if (finalInvoice) this.chargeRest(at);
    // What is waived is not charged later either.
    else this.metered = [];
    if (credit !== 'none') for (const charge of this.standing(at)) this.giveBack(charge, at);
    this.items = [];
    this.expectLate(false);
    this.credits.bill();
  }

  /** All that is in arrears. */
  private chargeRest(at: Moment): void {
    this.chargeArrears(at);
    for (const item of this.items) if (price(item.fee.price).kind === 'arrears') this.chargeStretch(item, at);
    for (const { fee } of this.openMetered()) this.closeMetered(fee);
  }

  /** A fee begins. One in advance is charged from `from` on, if that has come. */
  private add(fee: Fee, from: Moment, waitsFor: readonly Charge[] = []): void {
    const { kind } = price(fee.price);
    if (kind === 'usage') {
      if (!this.openMetered().some((one) => isSameFee(one.fee, fee)))
        this.metered.push(newMetered(fee, this.now));
    } else if (kind !== 'once') {
      const paid = this.standing(this.now).find((charge) => isSameFee(charge.fee, fee));
      const item = { fee, chargedTo: kind === 'advance' && paid ? paid.standsTo : from, waitsFor };
      this.items.push(item);
      if (kind === 'advance') this.chargeAdvance(item, this.now);
    }
  }

  /** What returns uses its paid time. What waits for that time alone is charged from `next` on. */
  private stopWaitingFor(returning: readonly Fee[], next: Moment): void {
    const standing = this.standing(this.now);
    const isUsed = ({ fee }: Charge): boolean => returning.some((one) => isSameFee(one, fee));
    for (const item of this.items) {
      const waitsFor = item.waitsFor.filter((charge) => standing.includes(charge));
      if (!waitsFor.some(isUsed)) continue;
      item.waitsFor = waitsFor.filter((charge) => !isUsed(charge));
      const ends = item.waitsFor.map(({ standsTo }) => standsTo);
      item.chargedTo = ends.length > 0 ? Math.max(...ends) : next;
    }
  }

  private nextPeriod(at: Moment): void {
    const { from, to } = periodAt(this.anchor, this.interval, at);
    this.periodStart = from;
    this.periodStarts.push(from);
    this.periodEnd = to;
  }

  /** The charges in advance that are for time after an instant. */
  private standing(at: Moment): Charge[] {
    return this.charges.filter(({ isAdvance, standsTo }) => isAdvance && standsTo > at);
  }

  private giveBack(charge: Charge, at: Moment): void {
    const back = new GiveBack(charge, at);
    this.giveBacks.push(back);
    this.expected.push(back);
  }

  private chargeOnce(fees: readonly Fee[]): void {
    for (const fee of fees)
      if (price(fee.price).kind === 'once')
        this.charge(fee, { from: this.now, to: this.now }, feeAmount(fee), false);
  }

  /** Charges a fee in advance to the end of its own period, if its time is not paid. */
  private chargeAdvance(item: Item, at: Moment): void {
    const { months, kind } = price(item.fee.price);
    if (kind !== 'advance' || item.chargedTo > at) return;
    const own = periodAt(this.anchor, months, at);
    const share = new Decimal(own.to - at).div(own.to - own.from);
    // Without a license nothing is paid, so no other fee waits for it.
    if (item.fee.quantity > 0)
      this.charge(item.fee, { from: at, to: own.to }, feeAmount(item.fee).times(share), true);
    item.chargedTo = own.to;
  }

  /** Charges the fees in arrears whose own period ends. */
  private chargeArrears(at: Moment): void {
    for (const item of this.items) {
      const { kind, months } = price(item.fee.price);
      if (kind !== 'arrears' || item.chargedTo >= at) continue;
      if (periodAt(this.anchor, months, at - 1).to === at) this.chargeStretch(item, at);
    }
  }

  /**
   * Charges a fee in arrears up to an instant, in proportion to its own period. What is charged for time after `now` stands as paid time.
   */
  private chargeStretch(item: Item, to: Moment, now: Moment = to): Charge | undefined {
    if (item.chargedTo >= to) return undefined;
    const stretch = { from: item.chargedTo, to };
    const charge = this.charge(item.fee, stretch, this.amountOfStretch(item, to), to > now);
    this.chargedArrears.push({ fee: item.fee, to });
    item.chargedTo = to;
    return to > now ? charge : undefined;
  }

  private amountOfStretch({ fee, chargedTo }: Item, to: Moment): Decimal {
    const own = periodAt(this.anchor, price(fee.price).months, chargedTo);
    return feeAmount(fee).times(new Decimal(to - chargedTo).div(own.to - own.from));
  }

  private openMetered(): Metered[] {
    return this.metered.filter(({ to }) => to === null);
  }

  private closeMetered(fee: Fee): void {
    for (const one of this.openMetered())
      if (isSameFee(one.fee, fee)) {
        one.to = this.now;
        one.billed = this.unitsOf(one);
        one.bills.push({ at: this.now, units: one.billed });
        this.charge(fee, { from: one.from, to: this.now }, usageAmount(fee, one.billed), false);
      }
  }

  /** What was used in a stretch, as far as it is known by now. */
  private unitsOf({ from, to }: Metered): number {
    return this.used
      .filter(({ at }) => at >= from && (to === null || at < to))
      .reduce((sum, { units }) => sum + units, 0);
  }

  private charge(
    fee: Charged,
    time: { from: Moment; to: Moment },
    amount: Decimal,
    isAdvance: boolean,
  ): Charge {
    const charge = new Charge(fee, this.now, time, amount, isAdvance);
    this.charges.push(charge);
    this.expected.push(charge);
    return charge;
  }

  /** Whether something is charged at this instant. A change that charges nothing makes no invoice. */
  private hasBill(at: Moment): boolean {
    const isCharged = this.expected.some((one) => one instanceof Charge && one.at === at);
    return isCharged || this.metered.some(({ from, to }) => to === at && from < at);
  }

  private expectLate(isRenewal: boolean): void {
    for (const one of this.metered) {
      if (one.billed === null) continue;
      const counted = this.unitsOf(one);
      if (counted === one.billed) continue;
      const at = this.now;
      const settle = (): void => {
        one.bills.push({ at, units: counted - one.billed! });
        one.billed = counted;
      };
      const amount = (): Decimal => usageAmount(one.fee, counted - one.billed!);
      this.expectedLate.push({ at, price: one.fee.price, amount, isRenewal, settle });
    }
  }
}

function isAddOn(name: PriceName): boolean {
  return ADD_ONS.some((one) => one === name);
}

function isLicensed(name: PriceName): boolean {
  return LICENSE_PRICES.includes(name);
}

/** An earlier date by whole days. */
export function daysBefore(at: Moment, days: number): Moment {
  return at - days * DAY;
}

function newMetered(fee: Fee, from: Moment): Metered {
  return { fee, from, to: null, billed: null, bills: [] };
}

function feeAmount({ price: name, version, quantity }: Fee): Decimal {
  return new Decimal(amountOf(name, version)).times(quantity);
}

function usageAmount({ price: name, version }: Fee, units: number): Decimal {
  return new Decimal(amountOf(name, version)).times(units);
}

function intervalOf(fees: readonly Fee[]): number {
  const cadences = fees.map((fee) => price(fee.price).months).filter((months) => months > 0);
  return cadences.length === 0 ? 1 : Math.min(...cadences);
}

/** Whether the charge paid the fee, or the fee waits for its end. */
function isPaidBy({ fee, waitsFor }: Item, charge: Charge): boolean {
  return isSameFee(fee, charge.fee) || waitsFor.includes(charge);
}

function hasUnits(name: PriceName): boolean {
  return name === 'seat' || isLicensed(name);
}

/** The fees that end with those that take their place, by what they are: first the only two alike, then all that are. */
function pairsOf(ended: readonly Fee[], begun: readonly Fee[]): [PriceName, PriceName][] {
  const pairs: [PriceName, PriceName][] = [];
  let [olds, nexts] = [ended, begun].map((fees) => fees.map((fee) => fee.price)) as [
    PriceName[],
    PriceName[],
  ];
  const take = (old: readonly PriceName[], next: readonly PriceName[]) => {
    for (const from of old) for (const to of next) pairs.push([from, to]);
    olds = olds.filter((name) => !old.includes(name));
    nexts = nexts.filter((name) => !next.includes(name));
  };
  const [oldUnits, nextUnits] = [olds.filter(hasUnits), nexts.filter(hasUnits)];
  if (oldUnits.length === 1 && nextUnits.length === 1) take(oldUnits, nextUnits);
  const alike: ((name: PriceName) => string)[] = [
    (name) => `${hasUnits(name)} ${price(name).kind} ${price(name).months}`,
    (name) => `${hasUnits(name)} ${price(name).kind}`,
    (name) => `${hasUnits(name)}`,
    () => '',
  ];
  for (const isMany of [false, true])
    for (const keyOf of alike)
      for (const key of new Set(olds.map(keyOf))) {
        const [old, next] = [
          olds.filter((one) => keyOf(one) === key),
          nexts.filter((one) => keyOf(one) === key),
        ];
        if (next.length > 0 && (isMany || (old.length === 1 && next.length === 1))) take(old, next);
      }
  return pairs;
}
