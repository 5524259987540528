import { referencedName, type Document, type Schema } from './schema.js';

/** The description of a field, and an example unless the schema already has an example. */
export type FieldDescription = readonly [description: string, example?: unknown];

/** Returns an example of an id with this prefix. */
export const exampleId = (prefix: string): string => `${prefix}_01JD0000000000000000000000`;
const LATER = '2026-02-01T00:00:00.000Z';

/**
 * The descriptions of fields that have the same meaning in all schemas. The decorators of a class describe all other fields of the class.
 */
const VOCABULARY: Readonly<Record<string, FieldDescription>> = {
  // Ids.
  id: ['The id of this resource.'],
  customerId: ['The id of the customer.', 'cust_northwind'],
  subscriptionId: ['The id of the subscription.', exampleId('sub')],
  invoiceId: ['The id of the invoice.', exampleId('inv')],
  creditNoteId: ['The id of the credit note.', exampleId('cn')],
  lineId: ['The id of the line.', exampleId('line')],
  planId: ['The id of the plan.', exampleId('plan')],
  planVersion: ['The version of the plan.', 1],
  planName: ['The name of the plan.', 'Growth'],
  fromPlanId: ['The plan that subscriptions leave.', exampleId('plan')],
  toPlanId: ['The plan that subscriptions move to.', exampleId('plan')],
  priceId: ['The id of the price.', exampleId('price')],
  priceVersion: ['The version of the price.', 1],
  metricId: ['The id of the metric. Null or absent if nothing is metered.', exampleId('met')],
  metricVersion: ['The version of the metric.', 1],
  couponId: ['The id of the coupon.', 'WELCOME10'],
  redemptionId: [
    'The id of the redemption, which the response to applying the coupon contains.',
    exampleId('red'),
  ],
  taxRateId: ['The id of the tax rate.', exampleId('tax')],
  taxRateIds: ['The ids of the tax rates.', [exampleId('tax')]],
  paymentMethodId: ['The id of the payment method.', exampleId('pm')],
  webhookId: ['The id of the webhook.', exampleId('wh')],
  licenseTypeId: [
    'The id of the license type whose seats the price charges for. Null if there is none.',
    null,
  ],
  externalId: ['An id from another system.', 'crm-4711'],
  idempotencyKey: [
    'The key that the event was sent with. If several events have the same key, only the first is counted.',
    'request-4711',
  ],
  featureId: ['The id of the feature. A feature has the same id in every plan.', 'seats'],
  // Instants.
  createdAt: ['The time of creation.'],
  startedAt: ['The start time.'],
  finishedAt: ['The time of completion. Null until then.'],
  canceledAt: ['The time of cancellation. Null if there was no cancellation.'],
  issuedAt: ['The time of issue.'],
  paidAt: ['The time of payment. Null until then.'],
  voidedAt: ['The time of voiding. Null if it is not void.'],
  effectiveAt: ['The time from which the change applies.'],
  periodStart: ['The first moment of the period.'],
  periodEnd: ['The first moment after the period.', LATER],
  start: ['The first moment of the time range.'],
  end: ['The first moment after the time range.', LATER],
  timestamp: ['The time of the event.'],
  // Money and quantities.
  currency: ['The currency of the amounts, as ISO 4217 code.', 'USD'],
  subtotal: ['The sum of the lines.', 23.75],
  total: ['The total, with taxes.', 23.75],
  amount: ['The amount, in `currency`.', 20],
  amountDue: ['The amount that is still to be paid.', 23.75],
  balanceApplied: ["The part that was paid from the customer's balance.", 0],
  balanceCredited: ["The amount that is added to the customer's balance.", 0],
  amountBeforeMinimum: ['The amount without the minimum.', 15],
  amountBeforeMaximum: ['The amount without the maximum.', 250],
  billed: ['The quantity that was billed before.', 20],
  counted: ['The quantity that is counted now, with the late usage.', 23.75],
  discount: ['The amount that coupons deduct.', 2],
  quantity: ['The number of units.', 1500],
  unitPrice: ['The price of one unit.', 0.0025],
  flatAmount: [
    'The fixed price of the tier. With the model `graduated`, it is charged for each tier that is reached. Otherwise it is charged ' +
      'only for the tier in which the quantity ends. Absent if the tier has none.',
    10,
  ],
  packageSize: ['The number of units in a package.', 100],
  packagePrice: ['The price of a package.', 5],
  fixedFee: ['The fixed price of each event, in addition to the rate.', 0.3],
  rate: ['The rate, in percent.', 1.5],
  upTo: ['The last unit of the tier. Null if the tier has no end.', null],
  percentage: ['The rate, in percent.', 19],
  percentOff: ['The discount in percent. Null if the coupon deducts an amount.', 10],
  amountOff: ['The discount as an amount. Null if the coupon deducts a percentage.', 5],
  newAmount: ['The fees for a month after the change.', 30],
  currentAmount: ['The fees for a month before the change.', 20],
  proration: ['The amount that is charged for the rest of the present periods.', 5],
  // Lists.
  data: ['The entries.'],
  lines: ['The lines: charges, and amounts that are given back.'],
  discounts: ['The discounts, with their coupons.'],
  taxes: ['The taxes, one for each rate.'],
  tiers: ['The tiers: ranges of the quantity, each with its own price.'],
  prices: ['The prices.'],
  features: ['The features that subscribers may use.'],
  events: ['The number of events.', 2],
  customFields: ['Names with values, which documents print.'],
  addPrices: ['The prices to add.'],
  removePrices: ['The ids of the prices to remove.', []],
  quantities: [
    'The number of units of each fee, such as seats.',
    [{ priceId: exampleId('price'), quantity: 5 }],
  ],
  priceMap: ['The prices that take the place of prices that end.', {}],
  planIds: ['The plans whose subscriptions get the discount. Null for all plans.', null],
  priceIds: ['The prices whose lines get the discount. Null for the whole invoice.', null],
  warnings: ['The events that are not counted.'],
  // Parts of lists.
  limit: ['The largest number of entries in the response.', 20],
  offset: ['The number of entries to skip.', 0],
  page: ['The number of the page, from 1.', 1],
  page_size: ['The largest number of entries on a page.', 20],
  event_name: ['The name of the event, by which metrics select it.', 'llm.request'],
  // People and companies.
  email: ['The e-mail address.', 'ada@example.com'],
  billingEmail: ['The e-mail address for invoices, if it is not `email`.', 'ap@northwind.example'],
  phone: ['The telephone number.', '+49 30 1234567'],
  address: ['The postal address.'],
  line1: ['Street and number, or a post box.', 'Hauptstr. 1'],
  line2: ['Floor or department.', null],
  city: ['The city.', 'Berlin'],
  postalCode: ['The postal code.', '10115'],
  region: ['State, province or prefecture.', null],
  country: ['The country, as ISO 3166-1 alpha-2.', 'DE'],
  legalName: ['The registered name.', 'Contoso GmbH'],
  taxId: ['The VAT identification number.', 'DE123456789'],
  registrationNumber: [
    'The number in the trade register, or in the equivalent of the country.',
    'HRB 1234 B',
  ],
  bankAccount: ['The bank account for transfers.'],
  iban: ['The IBAN.', 'DE89370400440532013000'],
  bic: ['The BIC (SWIFT code).', 'COBADEFFXXX'],
  timezone: ['The IANA time zone.', 'UTC'],
  language: ['The language of documents.', 'en'],
  poNumber: ['The number of the purchase order.', 'PO-2026-0815'],
  taxExemptReason: ['The reason for the tax exemption.', null],
  taxExemptType: ['The kind of tax exemption.'],
  seller: ['The company that issues the invoices.'],
  // Kinds, states and settings.
  name: ['The name.', 'Growth'],
  description: ['A description for people.', null],
  type: ['The type.'],
  status: ['The present status.'],
  role: ['The role, which decides what is allowed.'],
  reason: ['The reason.', 'A mistake'],
  voidReason: ['The reason for voiding.', null],
  memo: ['A text that is printed on the document.', null],
  code: ['The reason as a code for programs. Null if there is none.', null],
  message: ['The reason as a text for people. Null if there is none.', null],
  failureCode: ['The reason for the failure, as a code for programs. Null if nothing failed.', null],
  failureMessage: ['The reason for the failure, as a text for people. Null if nothing failed.', null],
  version: ['The number of the version.', 1],
  url: ['The address.', 'https://hooks.example.com/billing'],
  enabled: ['Whether it is turned on.', true],
  metadata: ['Key-value pairs that you choose.', { segment: 'smb' }],
  properties: ['Values that metrics aggregate, filter and group by.', { model: 'large', tokens: 4808 }],
  eventName: ['The name of the event, by which metrics select it.', 'llm.request'],
  aggregation: ['How the metric turns events into a quantity.'],
  config: ['The pricing model and its settings.'],
  cadence: ['How often the price is charged.'],
  timing: ['Whether the price is charged at the start or at the end of a period.'],
  visibility: ['Whether customers see the plan.'],
  trialDays: ['The number of free days at the start.', 14],
  minimumCommitment: ['The smallest amount that a subscription is charged.', 100],
  billingThresholds: ['When usage is invoiced before its period ends.', { amountGte: 500 }],
  prorate: ['Whether the rest of the period is charged and the unused part given back.', true],
  preview: ['Whether the change is only computed, not made.', true],
  inclusive: ['Whether prices already contain the tax.', false],
  duration: ['How many invoices the coupon applies to.'],
  durationInInvoices: [
    'The number of billing periods whose invoices get the discount. Null unless `duration` is `repeating` by invoices.',
    null,
  ],
  durationInMonths: [
    'The number of months for which the discount applies. Null unless `duration` is `repeating` by months.',
    null,
  ],
  maxRedemptions: ['How often the coupon can be redeemed. Null if there is no limit.', 100],
  dimensions: ['The values of the properties that the metric groups by.'],
  group: ["The group of the metric's usage.", 'eu'],
  usageWatermark: ['The position up to which the usage log was read.', '4711'],
  refreshToken: ['A token for one exchange at `POST /v1/auth/refresh`.', 'kq3cX0Yb1mJ7w2dVtR9sZ4pN'],
  expiresAt: ['The time of expiry. Null if it never expires.', null],
  customers: ['The effect of the change, with one entry for each subscription.'],
  progress: ['How far the work has come.'],
};

/** Adds a description to each field that its class does not describe. */
export function describeFields({ components: { schemas } }: Document): void {
  for (const schema of Object.values(schemas))
    for (const [name, field] of Object.entries(schema.properties ?? {})) describeField(name, field);
}

/** Returns the description of a field with this name, and an example, or undefined if fields with this name differ in meaning. */
export function fieldDescriptionFor(name: string): FieldDescription | undefined {
  return Object.hasOwn(VOCABULARY, name) ? VOCABULARY[name] : undefined;
}

/**
 * Adds a description to a field with this name that has no description yet. The description is written to `holder`, or by default to the
 * schema of the field.
 */
export function describeField(name: string, field: Schema, holder: { description?: string } = field): void {
  const word = fieldDescriptionFor(name);
  if (word) holder.description ??= word[0];
  if (field.examples || isComposed(field)) return;
  const example = plainExample(field);
  if (example !== undefined) field.examples = [example];
  else if (word && word.length > 1) field.examples = [word[1]];
}

/** Returns whether the schema is composed of other schemas, which have their own examples. */
function isComposed(field: Schema): boolean {
  const parts = [...(field.oneOf ?? []), ...(field.anyOf ?? []), ...(field.items ? [field.items] : [])];
  return referencedName(field) !== undefined || field.properties !== undefined || parts.some(isComposed);
}

/** Returns an example that follows from the type, enum or default of the schema. */
function plainExample({ type, enum: values, format, items, default: otherwise }: Schema): unknown {
  if (otherwise !== undefined) return otherwise;
  if (values) return values[0];
  if (items?.enum) return [items.enum[0]];
  if (format !== 'date-time') return undefined;
  return Array.isArray(type) ? null : '2026-01-31T00:00:00.000Z';
}
