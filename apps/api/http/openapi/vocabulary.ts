import { nameIn, type Document, type Schema } from './schema.js';

/** What something is, and an example of it unless the schema itself tells one. */
export type Word = readonly [description: string, example?: unknown];

/** An example of an id with this prefix. */
export const ulid = (prefix: string): string => `${prefix}_01JD0000000000000000000000`;
const LATER = '2026-02-01T00:00:00.000Z';

/** Fields that mean the same wherever they stand. A class describes those that mean something else there, and all others. */
const VOCABULARY: Readonly<Record<string, Word>> = {
  // Ids.
  id: ['Its id.'],
  customerId: ['The id of the customer.', 'cust_northwind'],
  subscriptionId: ['The id of the subscription.', ulid('sub')],
  invoiceId: ['The id of the invoice.', ulid('inv')],
  creditNoteId: ['The id of the credit note.', ulid('cn')],
  lineId: ['The id of the line.', ulid('line')],
  planId: ['The id of the plan.', ulid('plan')],
  planVersion: ['The version of the plan.', 1],
  planName: ['The name of the plan.', 'Growth'],
  fromPlanId: ['The plan that subscriptions are moved from.', ulid('plan')],
  toPlanId: ['The plan that they are moved to.', ulid('plan')],
  priceId: ['The id of the price.', ulid('price')],
  priceVersion: ['The version of the price.', 1],
  metricId: ['The id of the metric; null or absent for what is not metered.', ulid('met')],
  metricVersion: ['The version of the metric.', 1],
  couponId: ['The id of the coupon.', 'WELCOME10'],
  redemptionId: ['The id that applying the coupon was answered with.', ulid('red')],
  taxRateId: ['The id of the tax rate.', ulid('tax')],
  taxRateIds: ['The ids of the tax rates.', [ulid('tax')]],
  paymentMethodId: ['The id of the payment method.', ulid('pm')],
  webhookId: ['The id of the webhook.', ulid('wh')],
  licenseTypeId: ['Whose seats it charges for.', null],
  externalId: ['An id from another system.', 'crm-4711'],
  idempotencyKey: ['The key that it was sent with: events with the same key count once.', 'request-4711'],
  featureId: ['The id of the feature. One feature has the same in every plan.', 'seats'],
  // Instants.
  createdAt: ['When it was made.'],
  startedAt: ['When it began.'],
  finishedAt: ['When it was over; null if it is not.'],
  canceledAt: ['When it was canceled; null if it is not.'],
  issuedAt: ['When it was issued.'],
  paidAt: ['When it was paid; null if it is not.'],
  voidedAt: ['When it was voided; null if it is not.'],
  effectiveAt: ['When it takes effect.'],
  periodStart: ['The first moment of the period.'],
  periodEnd: ['The first moment after the period.', LATER],
  start: ['The first moment that counts.'],
  end: ['The first moment that does not count any more.', LATER],
  timestamp: ['When it happened.'],
  // Money and quantities.
  currency: ['The currency of the amounts, as ISO 4217 code.', 'USD'],
  subtotal: ['The sum of the lines.', 23.75],
  total: ['What it comes to, with taxes.', 23.75],
  amount: ['The amount, in `currency`.', 20],
  amountDue: ['What is still to be paid.', 23.75],
  balanceApplied: ["What the customer's balance paid.", 0],
  balanceCredited: ['What it gives back.', 0],
  amountBeforeMinimum: ['What it would be without the minimum.', 15],
  amountBeforeMaximum: ['What it would be without the maximum.', 250],
  billed: ['What was billed.', 20],
  counted: ['What it comes to now.', 23.75],
  discount: ['What coupons take off.', 2],
  quantity: ['How many units.', 1500],
  unitPrice: ['What a unit costs.', 0.0025],
  flatAmount: ['What the tier costs once it is reached.', 10],
  packageSize: ['How many units a package has.', 100],
  packagePrice: ['What a package costs.', 5],
  fixedFee: ['What each event costs beside the rate.', 0.3],
  rate: ['The rate, in percent.', 1.5],
  upTo: ['The last unit of the tier; null for an open one.', null],
  percentage: ['The rate, in percent.', 19],
  percentOff: ['What it takes off, in percent; null for a coupon over an amount.', 10],
  amountOff: ['What it takes off, as an amount; null for a coupon in percent.', 5],
  newAmount: ['Fees for a month afterwards.', 30],
  currentAmount: ['Fees for a month now.', 20],
  proration: ['What is charged for the rest of the present periods.', 5],
  // Lists.
  data: ['The entries.'],
  lines: ['What is charged for and what is given back.'],
  discounts: ['The coupons that take something off.'],
  taxes: ['The taxes, one for each rate.'],
  tiers: ['The parts of the quantity that are priced alike.'],
  prices: ['The prices.'],
  features: ['What its subscribers may use.'],
  events: ['How many events.', 2],
  customFields: ['Names with values that documents print.'],
  addPrices: ['Prices that are added.'],
  removePrices: ['Ids of the prices that are taken away.', []],
  quantities: ['Units of fees, such as seats.', [{ priceId: ulid('price'), quantity: 5 }]],
  planIds: ['Only subscriptions to one of these plans; null for all.', null],
  priceIds: ['Only lines of one of these prices; null for the whole invoice.', null],
  warnings: ['What is not counted.'],
  // Parts of lists.
  limit: ['Most entries in the answer.', 20],
  offset: ['Entries to leave out first.', 0],
  page: ['The page, from 1.', 1],
  page_size: ['Most entries of a page.', 20],
  event_name: ['The event name that metrics use.', 'llm.request'],
  // People and companies.
  email: ['The e-mail address.', 'ada@example.com'],
  billingEmail: ['Where invoices go, if not to `email`.', 'ap@northwind.example'],
  phone: ['The telephone number.', '+49 30 1234567'],
  address: ['The postal address.'],
  line1: ['Street and number, or a post box.', 'Hauptstr. 1'],
  line2: ['Floor or department.', null],
  city: ['The city.', 'Berlin'],
  postalCode: ['The postal code.', '10115'],
  region: ['State, province or prefecture.', null],
  country: ['The country, as ISO 3166-1 alpha-2.', 'DE'],
  legalName: ['The name as it is registered.', 'Contoso GmbH'],
  taxId: ['The VAT identification number.', 'DE123456789'],
  registrationNumber: ['In the trade register, or whatever the country has.', 'HRB 1234 B'],
  bankAccount: ['Where transfers go.'],
  iban: ['The IBAN.', 'DE89370400440532013000'],
  bic: ['The BIC (SWIFT code).', 'COBADEFFXXX'],
  timezone: ['The IANA time zone.', 'UTC'],
  language: ['The language of documents.', 'en'],
  poNumber: ['The number of the purchase order.', 'PO-2026-0815'],
  taxExemptReason: ['Why there is no tax.', null],
  taxExemptType: ['What kind of exemption it is.'],
  seller: ['Who invoices come from.'],
  // What something is.
  name: ['Its name.', 'Growth'],
  description: ['What it is for.', null],
  type: ['What kind it is.'],
  status: ['How it stands.'],
  role: ['What it may do.'],
  reason: ['Why.', 'A mistake'],
  voidReason: ['Why it was voided.', null],
  memo: ['A text that is printed on it.', null],
  code: ['Why, for programs; null if there is nothing to tell.', null],
  message: ['Why, for people; null if there is nothing to tell.', null],
  failureCode: ['Why it failed, for programs; null if it did not.', null],
  failureMessage: ['Why it failed, for people; null if it did not.', null],
  version: ['The number of the version.', 1],
  url: ['The address.', 'https://hooks.example.com/billing'],
  enabled: ['Whether it is on.', true],
  metadata: ['Free key-value pairs.', { segment: 'smb' }],
  properties: ['Values that metrics aggregate, filter and group by.', { model: 'large', tokens: 4808 }],
  eventName: ['The event name that metrics use.', 'llm.request'],
  aggregation: ['How events become a quantity.'],
  config: ['The pricing model and its settings.'],
  cadence: ['How often it is charged.'],
  timing: ['Whether it is charged at the start or at the end of a period.'],
  visibility: ['Whether customers see it.'],
  trialDays: ['Days that are free at the start.', 14],
  minimumCommitment: ['What a subscription comes to at least.', 100],
  billingThresholds: ['When usage is invoiced before its period is over.', { amountGte: 500 }],
  prorate: ['Whether the rest of the period is charged, and what is unused given back.', true],
  preview: ['Whether it is only shown.', true],
  inclusive: ['Whether prices contain it already.', false],
  duration: ['For how many invoices that it takes something off.'],
  durationInInvoices: ['How many invoices, for `repeating`.', null],
  maxRedemptions: ['How often it can be redeemed; null for any number of times.', 100],
  dimensions: ['The values of the properties that the metric groups by.'],
  group: ["The group of the metric's usage.", 'eu'],
  usageWatermark: ['How far the usage log had been read.', '4711'],
  refreshToken: ['Good for one exchange at `POST /v1/auth/refresh`.', 'kq3cX0Yb1mJ7w2dVtR9sZ4pN'],
  expiresAt: ['From when on it does not count any more; null for never.', null],
  customers: ['The effect on each subscription.'],
  progress: ['How far it has come.'],
};

/** Describes each field that its class does not describe. */
export function describeFields({ components: { schemas } }: Document): void {
  for (const schema of Object.values(schemas))
    for (const [name, field] of Object.entries(schema.properties ?? {})) describeField(name, field);
}

/** What a field of this name is, and an example of it; undefined if it means different things. */
export function wordFor(name: string): Word | undefined {
  return Object.hasOwn(VOCABULARY, name) ? VOCABULARY[name] : undefined;
}

/** Describes a field of this name, unless it is described; `holder` has the description if that is not the schema. */
export function describeField(name: string, field: Schema, holder: { description?: string } = field): void {
  const word = wordFor(name);
  if (word) holder.description ??= word[0];
  if (field.examples || isComposed(field)) return;
  const example = plainExample(field);
  if (example !== undefined) field.examples = [example];
  else if (word && word.length > 1) field.examples = [word[1]];
}

/** Whether its example is that of what it is made of. */
function isComposed(field: Schema): boolean {
  const parts = [...(field.oneOf ?? []), ...(field.anyOf ?? []), ...(field.items ? [field.items] : [])];
  return nameIn(field) !== undefined || field.properties !== undefined || parts.some(isComposed);
}

/** What a schema itself tells of its values. */
function plainExample({ type, enum: values, format, items, default: otherwise }: Schema): unknown {
  if (otherwise !== undefined) return otherwise;
  if (values) return values[0];
  if (items?.enum) return [items.enum[0]];
  if (format !== 'date-time') return undefined;
  return Array.isArray(type) ? null : '2026-01-31T00:00:00.000Z';
}
