import { Decimal, decimalString, InvalidRequest, type DecimalString } from '#libs/kernel/core';
import { isRecurring, type PriceSnapshot } from '#libs/rating';
import type { FeeReplacement, SubscriptionItem, TermsChange } from './events.js';
import { mappedPrice, type PriceMap } from './price-map.js';

/** An item of a subscription without the time from which it is charged. */
type Fee = Pick<SubscriptionItem, 'price' | 'quantity'>;

/** The fees that end with a change of terms, and those that begin. */
export interface ChangedFees {
  readonly ended: readonly Fee[];
  readonly begun: readonly PriceSnapshot[];
}

/** What takes the place of the fees that end with a change of terms. */
export interface ReplacedFees {
  /**
   * All pairs of an ended fee and a fee that takes its place. A fee that begins can take the place of several fees, and one fee can be
   * replaced by several.
   */
  readonly replacements: readonly FeeReplacement[];
  /** The units of the fees of the new terms that get units of ended fees, by price id. */
  readonly movedUnits: ReadonlyMap<string, DecimalString>;
}

/** Tells whether a price can have several units. A metered price is measured, and a flat price costs the same for any quantity. */
export function hasUnits({ metricId, config }: Pick<PriceSnapshot, 'metricId' | 'config'>): boolean {
  return metricId === null && config.model !== 'flat';
}

/**
 * Decides which fees take the place of the fees that end with a change of terms, and which units go with them. An ended fee is replaced by
 * the price that `priceMap` names, else by the fee with the same name. Else the only fee with units that ends is replaced by the only one
 * that begins. The units of an ended fee follow these pairs. A price that stays replaces itself, and is in no pair.
 *
 * The other fees that end and begin are paired by what they are, for the time that was paid for them: see {@link CLOSENESS}. No units
 * follow these pairs.
 *
 * @param requested `quantities` and `priceMap` of the change
 * @param isLenient true if `priceMap` is for many subscriptions, so that entries for prices that one of them lacks are passed over
 * @throws InvalidRequest for `priceMap` (`price_map_required`) if it is not certain to which fee units go, so that they would be lost
 */
export function replaceFees(
  before: readonly Fee[],
  after: readonly PriceSnapshot[],
  { quantities, priceMap = {} }: Pick<TermsChange, 'quantities' | 'priceMap'>,
  isLenient: boolean,
): ReplacedFees {
  const fees = changedFees(before, after);
  if (!isLenient) checkPriceMap(priceMap, fees, after);
  const named = new FeePairs(fees);
  named.pairMapped(priceMap, after);
  named.pairUnique(({ name }) => name);
  named.pairUnique((price) => (hasUnits(price) ? 'units' : undefined));
  refuseLostUnits(named.left, quantities);
  const movedUnits = unitsOf(named.replacements, before);
  for (const closeness of CLOSENESS) named.pairUnique(closeness);
  for (const closeness of CLOSENESS) named.pairAll(closeness);
  return { replacements: named.replacements, movedUnits };
}

/**
 * How alike two fees are, the closest first. Each function returns a key, and fees with the same key are alike. First the only two fees
 * with the same key are paired. Of the fees that are left then, all that end are replaced by all that begin with the same key.
 */
const CLOSENESS: readonly ((price: PriceSnapshot) => string)[] = [
  (price) => `${hasUnits(price)} ${price.timing} ${price.cadence}`,
  (price) => `${hasUnits(price)} ${price.timing}`,
  (price) => `${hasUnits(price)}`,
  () => 'any fee',
];

/** Returns the recurring fees that end and those that begin. A price that stays in another version or quantity is in neither list. */
function changedFees(before: readonly Fee[], after: readonly PriceSnapshot[]): ChangedFees {
  const isFee = ({ metricId, cadence }: PriceSnapshot) => metricId === null && isRecurring(cadence);
  const stays = (priceId: string) => after.some((price) => price.priceId === priceId);
  const was = (priceId: string) => before.some(({ price }) => price.priceId === priceId);
  return {
    ended: before.filter(({ price }) => isFee(price) && !stays(price.priceId)),
    begun: after.filter((price) => isFee(price) && !was(price.priceId)),
  };
}

/** Pairs fees that end with fees that begin, one rule after another. */
class FeePairs {
  readonly replacements: FeeReplacement[] = [];
  private ended: readonly Fee[];
  private begun: readonly PriceSnapshot[];

  constructor({ ended, begun }: ChangedFees) {
    this.ended = ended;
    this.begun = begun;
  }

  /** The fees that no rule has paired yet. */
  get left(): ChangedFees {
    return { ended: this.ended, begun: this.begun };
  }

  /** Pairs the fees as the price map says. An ended fee whose entry is null is replaced by no fee. */
  pairMapped(priceMap: PriceMap, after: readonly PriceSnapshot[]): void {
    const mapped = this.ended.flatMap(({ price: { priceId: from } }) => {
      const to = mappedPrice(priceMap, from);
      return to === undefined ? [] : [{ from, to }];
    });
    const isNew = ({ to }: { to: string | null }) => after.some(({ priceId }) => priceId === to);
    const done = mapped.filter((one) => one.to === null || isNew(one));
    this.pair(done.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }])));
    this.ended = this.ended.filter(({ price }) => !done.some(({ from }) => from === price.priceId));
  }

  /** Pairs the only fee that ends and the only fee that begins with the same key. A fee without a key is left. */
  pairUnique(keyOf: (price: PriceSnapshot) => string | undefined): void {
    this.pairAlike(keyOf, (ended, begun) => ended.length === 1 && begun.length === 1);
  }

  /** Pairs all fees that end with all fees that begin with the same key. */
  pairAll(keyOf: (price: PriceSnapshot) => string): void {
    this.pairAlike(keyOf, () => true);
  }

  private pairAlike(
    keyOf: (price: PriceSnapshot) => string | undefined,
    isPaired: (ended: readonly Fee[], begun: readonly PriceSnapshot[]) => boolean,
  ): void {
    const begunByKey = Map.groupBy(this.begun, keyOf);
    const pairs = [...Map.groupBy(this.ended, ({ price }) => keyOf(price))].flatMap(([key, ended]) => {
      const begun = begunByKey.get(key) ?? [];
      if (key === undefined || !isPaired(ended, begun)) return [];
      return ended.flatMap(({ price }) => begun.map(({ priceId }) => ({ from: price.priceId, to: priceId })));
    });
    this.pair(pairs);
  }

  private pair(pairs: readonly FeeReplacement[]): void {
    this.replacements.push(...pairs);
    this.ended = this.ended.filter(({ price }) => !pairs.some(({ from }) => from === price.priceId));
    this.begun = this.begun.filter(({ priceId }) => !pairs.some(({ to }) => to === priceId));
  }
}

/** Refuses a price map that names a price that does not end, or that sends units to a price that cannot have them. */
function checkPriceMap(priceMap: PriceMap, { ended }: ChangedFees, after: readonly PriceSnapshot[]): void {
  for (const [from, to] of Object.entries(priceMap)) {
    const old = ended.find(({ price }) => price.priceId === from);
    if (!old)
      throw InvalidRequest.field(
        'priceMap',
        `must name recurring fees that end with the change; "${from}" is not one of them`,
      );
    if (to === null) continue;
    const price = after.find(({ priceId }) => priceId === to);
    if (!price || !canReplace(old, price))
      throw InvalidRequest.field(
        'priceMap',
        `must lead to recurring fees of the new terms, and from a fee with units to a fee with units; "${to}" cannot take the place of "${from}"`,
      );
  }
}

function canReplace(old: Fee, { metricId, cadence, config }: PriceSnapshot): boolean {
  if (metricId !== null || !isRecurring(cadence)) return false;
  return !hasUnits(old.price) || hasUnits({ metricId, config });
}

/**
 * Refuses a change with which units would be lost, because it is not certain which of several fees takes the place of an ended fee. One
 * unit cannot be lost, since a new fee has one unit. The seats of a price for licenses are counted, so they get no units.
 */
function refuseLostUnits({ ended, begun }: ChangedFees, quantities: TermsChange['quantities']): void {
  const lost = ended.filter(({ price, quantity }) => hasUnits(price) && quantity !== '1');
  const candidates = begun.filter((price) => hasUnits(price) && price.licenseTypeId === undefined);
  const isNamed = ({ priceId }: PriceSnapshot) => Object.hasOwn(quantities, priceId);
  if (lost.length === 0 || candidates.every(isNamed)) return;
  const nameOf = ({ name, priceId }: PriceSnapshot) => `"${name}" (${priceId})`;
  const from = lost.map(({ price, quantity }) => `"${price.name}" (${price.priceId}, ${quantity} units)`);
  const message =
    `priceMap must say which price takes the place of ${from.join(' and ')}: ${candidates.map(nameOf).join(' or ')}; ` +
    'null for none; or name the quantities of all of these';
  throw new InvalidRequest('price_map_required', message, [
    { field: 'priceMap', message: 'is required, because it is not certain which price takes the units' },
  ]);
}

/** Returns the units that each price of the new terms gets from ended fees, with the units that it has already. */
function unitsOf(
  replacements: readonly FeeReplacement[],
  before: readonly Fee[],
): ReadonlyMap<string, DecimalString> {
  const feeOf = (priceId: string) => before.find(({ price }) => price.priceId === priceId);
  const units = [...Map.groupBy(replacements, ({ to }) => to)].flatMap(([to, pairs]) => {
    const ended = pairs.map(({ from }) => feeOf(from)!).filter(({ price }) => hasUnits(price));
    if (ended.length === 0) return [];
    const own = feeOf(to);
    const sum = [...ended, ...(own ? [own] : [])].reduce(
      (total, { quantity }) => total.plus(quantity),
      new Decimal(0),
    );
    return [[to, decimalString(sum)] as const];
  });
  return new Map(units);
}
