import {
  nameIn,
  operationsIn,
  type Described,
  type Document,
  type Operation,
  type Schema,
} from './schema.js';
import { describeField } from './vocabulary.js';

const ulid = (prefix: string): string => `${prefix}_01JD0000000000000000000000`;

/** What stands in a path behind the name of a collection, or under a name of its own. */
const IN_PATHS: Readonly<Record<string, { description: string; example: string }>> = {
  'api-keys': { description: 'The id of the API key.', example: ulid('key') },
  coupons: { description: 'The id of the coupon.', example: 'WELCOME10' },
  customers: { description: 'The id of the customer.', example: 'cust_northwind' },
  invoices: { description: 'The id of the invoice.', example: ulid('inv') },
  metrics: { description: 'The id of the metric.', example: ulid('met') },
  plans: { description: 'The id of the plan.', example: ulid('plan') },
  prices: { description: 'The id of the price.', example: ulid('price') },
  'price-migrations': { description: 'The id of the price migration.', example: ulid('mig') },
  subscriptions: { description: 'The id of the subscription.', example: ulid('sub') },
  'tax-rates': { description: 'The id of the tax rate.', example: ulid('tax') },
  webhooks: { description: 'The id of the webhook.', example: ulid('wh') },
  '{redemptionId}': {
    description: 'The id that applying the coupon was answered with.',
    example: ulid('red'),
  },
  '{methodId}': { description: 'The id of the payment method.', example: ulid('pm') },
  '{creditNoteId}': { description: 'The id of the credit note.', example: ulid('cn') },
  '{amendmentId}': { description: 'The id of the amendment.', example: ulid('amd') },
  '{deliveryId}': { description: 'The id of the delivery.', example: ulid('evt') },
  '{version}': { description: 'The number of the version.', example: '1' },
  '{token}': { description: "The secret of the invoice's link.", example: 'kq3cX0Yb1mJ7w2dVtR9sZ4pN' },
};

/** Describes the parameters of paths, and says of each body whether it can be left out. */
export function describeParameters(document: Document): void {
  for (const { path, operation } of operationsIn(document.paths)) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'path') describePathParameter(parameter, path);
      exampleOntoSchema(parameter);
      if (parameter.schema) describeField(parameter.name!, parameter.schema, parameter);
    }
    requireBody(operation, document.components.schemas);
  }
}

function describePathParameter(parameter: Described, path: string): void {
  const place = `{${parameter.name}}`;
  const parts = path.split('/');
  const said = IN_PATHS[place] ?? IN_PATHS[parts[parts.indexOf(place) - 1] ?? ''];
  if (!said) throw new Error(`What ${place} is in ${path} is not said`);
  parameter.description = said.description;
  parameter.schema = { ...parameter.schema, maxLength: 512, examples: [said.example] };
}

/** Where JSON Schema has it. */
function exampleOntoSchema(parameter: Described): void {
  const { example } = parameter;
  delete parameter.example;
  if (example !== undefined) parameter.schema = { ...parameter.schema, examples: [example] };
}

/** No body is an empty one, so that a body without required fields can be left out. */
function requireBody({ requestBody }: Operation, schemas: Readonly<Record<string, Schema>>): void {
  if (!requestBody) return;
  requestBody.required = Object.values(requestBody.content ?? {}).some(
    ({ schema }) => schema !== undefined && !isOptional(schema, schemas),
  );
}

function isOptional(schema: Schema, schemas: Readonly<Record<string, Schema>>): boolean {
  const name = nameIn(schema);
  if (name !== undefined) return isOptional(schemas[name]!, schemas);
  if (schema.oneOf) return schema.oneOf.some((one) => isOptional(one, schemas));
  return schema.type === 'object' && (schema.required ?? []).length === 0;
}
