import type { Requests } from './client.ts';
import { ALLOWANCES, CREDIT_TYPE_NAMES, CREDIT_TYPES } from './credits.ts';

/** A price of the model's catalog, in USD. `months` is its cadence; 0 for what is charged once or by use. */
export interface Price {
  readonly kind: 'advance' | 'arrears' | 'once' | 'usage';
  readonly months: number;
  /** The amounts of its versions in turn: an odd version has the first, an even one the second. */
  readonly amounts: readonly [number, number];
}

export const PRICES = {
  basic: { kind: 'advance', months: 1, amounts: [31, 45] },
  pro: { kind: 'advance', months: 1, amounts: [62, 77.7] },
  seat: { kind: 'advance', months: 1, amounts: [10, 13] },
  quarter: { kind: 'advance', months: 3, amounts: [91, 100] },
  year: { kind: 'advance', months: 12, amounts: [365, 400] },
  support: { kind: 'advance', months: 12, amounts: [120, 144] },
  late: { kind: 'arrears', months: 1, amounts: [12, 15] },
  lateMore: { kind: 'arrears', months: 1, amounts: [30, 36] },
  lateQuarter: { kind: 'arrears', months: 3, amounts: [18, 24] },
  extra: { kind: 'advance', months: 1, amounts: [6, 7] },
  extraLate: { kind: 'arrears', months: 1, amounts: [8, 9] },
  setup: { kind: 'once', months: 0, amounts: [25, 25] },
  editor: { kind: 'advance', months: 1, amounts: [30, 33] },
  editorLate: { kind: 'arrears', months: 1, amounts: [24, 27] },
  editorYear: { kind: 'advance', months: 12, amounts: [240, 300] },
  calls: { kind: 'usage', months: 0, amounts: [0.1, 0.12] },
  cheapCalls: { kind: 'usage', months: 0, amounts: [0.05, 0.07] },
} as const satisfies Record<string, Price>;
export type PriceName = keyof typeof PRICES;

export const PLANS = {
  basic: ['basic', 'calls'],
  pro: ['pro', 'cheapCalls', 'setup'],
  seats: ['seat'],
  team: ['basic', 'seat'],
  quarter: ['quarter'],
  year: ['year'],
  supported: ['basic', 'support'],
  late: ['late', 'calls'],
  lateMore: ['lateMore', 'calls'],
  lateQuarter: ['lateQuarter'],
  included: ['basic'],
  rolling: ['pro'],
  quarterIncluded: ['quarter'],
  licensed: ['editor', 'calls'],
  licensedLate: ['basic', 'editorLate'],
  licensedYear: ['pro', 'editorYear'],
} as const satisfies Record<string, readonly PriceName[]>;
export type PlanName = keyof typeof PLANS;

/** The prices that are in no plan: a subscription adds them. */
export const ADD_ONS = ['extra', 'extraLate'] as const satisfies readonly PriceName[];
export type AddOn = (typeof ADD_ONS)[number];

/** The prices that charge for each of the customer's licenses, which are all of one type. */
export const LICENSE_PRICES: readonly PriceName[] = ['editor', 'editorLate', 'editorYear'];
export const LICENSE_TYPE = 'editor';

/** A coupon, as the API takes it. */
export interface CouponTerms {
  readonly percentOff?: number;
  readonly amountOff?: number;
  readonly currency?: string;
  readonly duration: 'once' | 'repeating' | 'forever';
  readonly durationInInvoices?: number;
  readonly durationInMonths?: number;
}

export const COUPONS = {
  quarterOffOnce: { percentOff: 25, duration: 'once' },
  tenthOff: { percentOff: 10, duration: 'forever' },
  fifteenOnce: { amountOff: 15, currency: 'USD', duration: 'once' },
  fiveOff: { amountOff: 5, currency: 'USD', duration: 'forever' },
  fifthForTwo: { percentOff: 20, duration: 'repeating', durationInInvoices: 2 },
  tenthTwoMonths: { percentOff: 10, duration: 'repeating', durationInMonths: 2 },
} as const satisfies Record<string, CouponTerms>;
export type CouponName = keyof typeof COUPONS;

export const VAT_PERCENT = 20;
export const EVENT = 'call';

export function price(name: PriceName): Price {
  return PRICES[name];
}

/** What a version of a price costs, as a number of USD. */
export function amountOf(name: PriceName, version: number): number {
  return PRICES[name].amounts[version % 2 === 1 ? 0 : 1];
}

/** The config of a price in a version, as the API takes it. */
function configOf(name: PriceName, version: number): object {
  const amount = amountOf(name, version);
  if (LICENSE_PRICES.includes(name)) return { model: 'license', unitPrice: amount, currency: 'USD' };
  return price(name).kind === 'usage' || name === 'seat'
    ? { model: 'unit', unitPrice: amount, currency: 'USD' }
    : { model: 'flat', amount, currency: 'USD' };
}

const CADENCES: Record<number, string> = { 1: 'monthly', 3: 'quarterly', 12: 'annual' };

/** The catalog in one workspace: the ids, and the newest versions, which histories raise. */
export class Catalog {
  readonly versions = new Map<PriceName, number>();
  readonly priceIds: ReadonlyMap<PriceName, string>;
  readonly planIds: ReadonlyMap<PlanName, string>;
  readonly couponIds: ReadonlyMap<CouponName, string>;
  readonly taxRateId: string;
  private readonly client: Requests;

  private constructor(
    client: Requests,
    priceIds: ReadonlyMap<PriceName, string>,
    planIds: ReadonlyMap<PlanName, string>,
    couponIds: ReadonlyMap<CouponName, string>,
    taxRateId: string,
  ) {
    this.client = client;
    this.priceIds = priceIds;
    this.planIds = planIds;
    this.couponIds = couponIds;
    this.taxRateId = taxRateId;
    for (const name of priceIds.keys()) this.versions.set(name, 1);
  }

  /** Creates metric, prices, plans, coupons and the tax rate. */
  static async create(client: Requests): Promise<Catalog> {
    const aggregation = { type: 'sum', property: 'n' };
    const metric = await client.make('POST', '/v1/metrics', { name: 'Calls', eventName: EVENT, aggregation });
    const prices = await each(Object.keys(PRICES) as PriceName[], (name) => {
      const { kind, months } = price(name);
      const cadence = kind === 'usage' ? 'usage_based' : kind === 'once' ? 'one_time' : CADENCES[months];
      const timing = kind === 'advance' ? { timing: 'in_advance' } : {};
      const metered = kind === 'usage' ? { metricId: metric.id } : {};
      const licensed = LICENSE_PRICES.includes(name) ? { licenseTypeId: LICENSE_TYPE } : {};
      return client.make('POST', '/v1/prices', {
        name,
        config: configOf(name, 1),
        cadence,
        ...timing,
        ...metered,
        ...licensed,
      });
    });
    const plans = await each(Object.keys(PLANS) as PlanName[], (name) =>
      client.make('POST', '/v1/plans', { name, prices: PLANS[name].map((one) => prices.get(one)!) }),
    );
    const coupons = await each(Object.keys(COUPONS) as CouponName[], (name) =>
      client.make('POST', '/v1/coupons', { name, ...COUPONS[name] }),
    );
    await createCredits(client, plans);
    const vat = { name: 'VAT', percentage: VAT_PERCENT };
    const { id: taxRateId } = await client.make('POST', '/v1/tax-rates', vat);
    return new Catalog(client, prices, plans, coupons, taxRateId);
  }

  /** Makes a new version of a price, with its other amount. */
  async raise(name: PriceName): Promise<void> {
    const version = this.versions.get(name)! + 1;
    const config = configOf(name, version);
    await this.client.make('PATCH', `/v1/prices/${this.priceIds.get(name)!}`, { config });
    this.versions.set(name, version);
  }

  priceOf(id: string | null): PriceName | undefined {
    return [...this.priceIds].find(([, priceId]) => priceId === id)?.[0];
  }

  /** Gives all prices their first amounts again. */
  async reset(): Promise<void> {
    for (const [name, version] of this.versions) if (version % 2 === 0) await this.raise(name);
  }
}

/** Credit types, a metric for each whose units cost credits, and what plans include. */
async function createCredits(client: Requests, plans: ReadonlyMap<PlanName, string>): Promise<void> {
  for (const type of CREDIT_TYPE_NAMES) {
    const { event, creditsPerUnit, ...terms } = CREDIT_TYPES[type];
    await client.make('POST', '/v1/credit-types', { type, name: type, currency: 'USD', ...terms });
    const aggregation = { type: 'sum', property: 'n' };
    const metric = await client.make('POST', '/v1/metrics', { name: type, eventName: event, aggregation });
    const rate = { metricId: metric.id, creditsPerUnit };
    await client.make('POST', `/v1/credit-types/${type}/rates`, rate);
  }
  for (const { plan, type, credits, every, priority, rollover } of ALLOWANCES) {
    const allowance = { planId: plans.get(plan)!, credits, every, priority };
    await client.make('POST', `/v1/credit-types/${type}/allowances`, {
      ...allowance,
      ...(rollover === null ? {} : { rollover }),
    });
  }
}

async function each<N extends string>(
  names: readonly N[],
  create: (name: N) => Promise<{ id: string }>,
): Promise<Map<N, string>> {
  const made = new Map<N, string>();
  for (const name of names) made.set(name, (await create(name)).id);
  return made;
}
