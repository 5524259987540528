import { Decimal, sumOf } from '#libs/kernel/core';
import type { InvoiceDetails, InvoiceDiscount } from '#libs/contexts/invoicing';
import {
  computeInvoice,
  needsEvents,
  minimumAndIntervalOf,
  tallyEvents,
  type InvoiceCoupon,
  type MeasuredCharge,
  type MeasuredCommitment,
  type Period,
  type PriceSnapshot,
  type TaxRate,
} from '#libs/rating';
import { sampleEvents } from '../support/sample-invoice.js';
import { periodOf } from './days.js';
import { readCoupon, readPlan, readPrice, readTaxRate } from './requests.js';

/*
 * What an invoice charges, statement by statement:
 *
 *   POST /v1/prices {…}, POST /v1/tax-rates {…}, POST /v1/coupons {…}, POST /v1/plans {…}
 *   used 1500                            of the price before; with groups: used 150 with region eu
 *   events of 20, 100.5                  the same for a price that looks at each
 *   5 units                              of the fee before
 *   for 1 Jan to 17 Jan of 1 Jan to 1 Feb   what the price before is charged for; without it all of January
 *   fee Seats 100.00 for 1 Jan to 1 Feb  a flat price in short, also `usage Calls 3.75` and `once Setup 50.00`
 *   unused Seats 100.00 for 16 Jan to 1 Feb of 1 Jan to 1 Feb   the rest of such a fee, given back
 *
 * `, not taxed` and `, taxed with tax_7` may stand behind a price in short. An id is made of the name: price_seats, tax_vat.
 */

const JANUARY: Period = periodOf('1 Jan to 1 Feb');
const USD = 'USD';

/** An invoice in the making. */
export class Draft {
  private readonly charges: MeasuredCharge[] = [];
  private readonly coupons: (InvoiceCoupon & { name: string })[] = [];
  private plan: Awaited<ReturnType<typeof readPlan>> | undefined;

  /** `known`: the tax rates of the workspace, to which it adds. */
  constructor(private readonly known: TaxRate[]) {}

  /** The names of the prices, by id. */
  get prices(): [string, string][] {
    return this.charges.map(({ price }) => [price.priceId, price.name]);
  }

  /** Whether the statement was about what the invoice charges. */
  async take(statement: string): Promise<boolean> {
    const [, post, json = ''] = /^POST (\S+) (.*)$/.exec(statement) ?? [];
    if (post !== undefined) return this.takeRequest(post, json);
    const [verb] = statement.split(' ');
    if (['fee', 'usage', 'once', 'unused'].includes(verb!)) return this.add(inShort(statement));
    const [, number] = /^([\d.]+) units$/.exec(statement) ?? [];
    if (number !== undefined) return this.change({ quantity: number });
    const [, service, period = service] = /^for (.+? to .+?)(?: of (.+))?$/.exec(statement) ?? [];
    if (service !== undefined) return this.change({ service: periodOf(service), period: periodOf(period!) });
    const [, used, group] = /^(used \S+|events of .+?)(?: with (.+))?$/.exec(statement) ?? [];
    if (used !== undefined) return this.use(used, group);
    return false;
  }

  /** All that the invoice says once its lines, coupons and taxes are computed. */
  details(invoiceId: string): InvoiceDetails {
    const { currency } = this.charges[0]!.price.config;
    const named = new Set(this.charges.flatMap(({ price }) => price.taxRateIds ?? []));
    const computed = computeInvoice({
      invoiceId,
      currency,
      charges: this.charges,
      coupons: this.coupons,
      namedTaxRates: this.known,
      taxRates: this.known.filter(({ taxRateId }) => !named.has(taxRateId)),
      ...(this.plan?.minimumCommitment ? { commitment: this.commitment() } : {}),
    });
    const { lines, taxes, total, excess, taxRateIds } = computed;
    const discounts = computed.discounts.map(({ couponId, amount }): InvoiceDiscount => {
      const { name, discount } = this.coupons.find((one) => one.couponId === couponId)!;
      return { redemptionId: couponId, couponId, name, discount, amount };
    });
    const { data } = sampleEvents.created({
      invoiceId,
      currency,
      lines,
      total,
      discounts,
      taxes: [...taxes],
      ...(taxRateIds ? { taxRateIds: [...taxRateIds] } : {}),
      ...(new Decimal(excess).isZero() ? {} : { excess }),
    }) as { data: InvoiceDetails & { at: string } };
    const { at: _, ...details } = data;
    return details;
  }

  private async takeRequest(path: string, json: string): Promise<boolean> {
    switch (path) {
      case '/v1/prices': {
        const { description: _, licenseTypeId, taxRateIds, ...details } = await readPrice(json);
        const price: PriceSnapshot = {
          priceId: idOf('price', details.name),
          version: 1,
          ...details,
          ...(taxRateIds ? { taxRateIds } : {}),
          ...(licenseTypeId === null ? {} : { licenseTypeId }),
        };
        return this.add({
          price,
          service: JANUARY,
          period: JANUARY,
          ...(price.metricId === null ? {} : { usage: { metricVersion: 1, groupBy: [], groups: [] } }),
        });
      }
      case '/v1/coupons': {
        const { id, name, discount, priceIds } = await readCoupon(json);
        const couponId = id ?? idOf('coupon', name);
        this.coupons.push({ couponId, name, discount, ...(priceIds ? { priceIds } : {}) });
        return true;
      }
      case '/v1/tax-rates': {
        const rate = await readTaxRate(json);
        this.known.push({ taxRateId: idOf('tax', rate.name), ...rate });
        return true;
      }
      case '/v1/plans':
        this.plan = await readPlan(json);
        return true;
      default:
        return false;
    }
  }

  private add(charge: MeasuredCharge): true {
    this.charges.push(charge);
    return true;
  }

  private change(more: Partial<MeasuredCharge>): true {
    return this.add({ ...this.charges.pop()!, ...more });
  }

  /** Of the last price. A group is `region eu, size large`. */
  private use(what: string, group?: string): true {
    const { price, usage } = this.charges.at(-1)!;
    const values = Object.fromEntries((group ?? '').split(', ').flatMap((one) => keyAndValue(one)));
    const amounts = what.replace(/^(used|events of) /, '').split(', ');
    const events = needsEvents(price.config) ? { events: tallyEvents(price.config, amounts) } : {};
    const measured = { values, quantity: sumOf(amounts).toFixed(), watermark: '1', ...events };
    const groups = [...(usage?.groups ?? []), measured];
    return this.change({ usage: { metricVersion: 1, groupBy: Object.keys(values), groups } });
  }

  private commitment(): MeasuredCommitment {
    const { name: planName, minimumCommitment } = this.plan!;
    const { service, period } = this.charges[0]!;
    const part = {
      ...service,
      planId: 'plan',
      planVersion: 1,
      planName,
      ...minimumAndIntervalOf(minimumCommitment!),
    };
    return { parts: [part], service, period, counted: [] };
  }
}

/** A price in short, with what it charges for. */
function inShort(statement: string): MeasuredCharge {
  const found =
    /^(fee|usage|once|unused) (.+?) ([\d.]+)(?: for (.+? to .+?))?(?: of (.+? to .+?))?(?:, (not taxed|taxed with .+))?$/.exec(
      statement,
    );
  if (!found) throw new Error(`Nobody knows what it is to charge "${statement}"`);
  const [, verb = '', name = '', amount = '', of, ofWhole = of, taxed] = found;
  const [service, period] = [of, ofWhole].map((text) => (text === undefined ? JANUARY : periodOf(text)));
  const taxRateIds =
    taxed === undefined
      ? {}
      : {
          taxRateIds: taxed
            .replace(/^(not taxed|taxed with )/, '')
            .split(' and ')
            .filter(Boolean),
        };
  const price: PriceSnapshot = {
    priceId: idOf('price', name),
    version: 1,
    name,
    timing: 'in_advance',
    metricId: null,
    ...taxRateIds,
    cadence: verb === 'once' ? 'one_time' : 'monthly',
    config: { model: 'flat', amount, currency: USD },
  };
  const charge = { price, service: service!, period: period! };
  switch (verb) {
    case 'usage': {
      const config = { model: 'unit', unitPrice: '0.01', currency: USD } as const;
      const quantity = new Decimal(amount).times(100).toFixed();
      const groups = [{ values: {}, quantity, watermark: '1' }];
      return {
        ...charge,
        price: { ...price, cadence: 'usage_based', timing: 'in_arrears', metricId: 'met_1', config },
        usage: { metricVersion: 1, groupBy: [], groups },
      };
    }
    case 'once': {
      const instant = { start: charge.service.start, end: charge.service.start };
      return { ...charge, service: instant, period: instant };
    }
    case 'unused': {
      const refund = { invoiceId: 'inv_1', service: charge.period };
      return { ...charge, refund, remainingFee: { lineId: 'line_1', net: amount, left: amount } };
    }
    default:
      return charge;
  }
}

function keyAndValue(text: string): [string, string][] {
  const [key, value] = text.split(' ');
  return value === undefined ? [] : [[key!, value]];
}

/** The id that examples call something by: `price_seats`. */
export function idOf(kind: string, name: string): string {
  return `${kind}_${name.toLowerCase().replaceAll(' ', '_')}`;
}
