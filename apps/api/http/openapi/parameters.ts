import {
  referencedName,
  operationsIn,
  type DescribedPart,
  type Document,
  type Operation,
  type Schema,
} from './schema.js';
import { describeField, exampleId, fieldDescriptionFor, type FieldDescription } from './vocabulary.js';

/**
 * The descriptions of path parameters. The key is the path segment before the parameter, or the name of the parameter. The value is the
 * name of a field that is described elsewhere, or a description with an example. A controller can also use `@ApiParam` with a description
 * and an example.
 */
const IN_PATHS: Readonly<Record<string, string | FieldDescription>> = {
  exports: ['The id of the export of the books.', exampleId('bex')],
  verifications: ['The id of the verification of the books.', exampleId('bvr')],
  'api-keys': ['The id of the API key.', exampleId('key')],
  coupons: 'couponId',
  customers: 'customerId',
  invoices: 'invoiceId',
  metrics: ['The id of the metric.', exampleId('met')],
  plans: 'planId',
  prices: 'priceId',
  'price-migrations': ['The id of the price migration.', exampleId('mig')],
  'sso-connections': ['The id of the SSO connection.', exampleId('sso')],
  subscriptions: 'subscriptionId',
  'tax-rates': 'taxRateId',
  'usage-limits': ['The id of the usage limit.', exampleId('lim')],
  users: ['The id of the user.', exampleId('usr')],
  invitations: ['The id of the invitation.', exampleId('ivt')],
  sessions: ['The id of the session.', exampleId('ses')],
  webhooks: 'webhookId',
  '{redemptionId}': 'redemptionId',
  '{methodId}': 'paymentMethodId',
  '{creditNoteId}': 'creditNoteId',
  '{paymentId}': ['The id of the recorded payment.', exampleId('rpay')],
  '{amendmentId}': ['The id of the amendment.', exampleId('amd')],
  '{disputeId}': ['The id of the dispute at the simulated payment processor.', exampleId('dp')],
  '{deliveryId}': ['The id of the delivery.', exampleId('evt')],
  '{domain}': ['The domain of e-mail addresses.', 'example.com'],
  '{version}': ['The number of the version.', '1'],
  '{token}': ["The secret of the invoice's link.", 'kq3cX0Yb1mJ7w2dVtR9sZ4pN'],
};

/** Describes path parameters, and marks the request bodies that a client can leave out. */
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

function describePathParameter(parameter: DescribedPart, path: string): void {
  if (parameter.description !== undefined) {
    parameter.schema = { ...parameter.schema, maxLength: 512 };
    return;
  }
  const place = `{${parameter.name}}`;
  const parts = path.split('/');
  const said = IN_PATHS[place] ?? IN_PATHS[parts[parts.indexOf(place) - 1] ?? ''];
  const word = typeof said === 'string' ? fieldDescriptionFor(said) : said;
  if (!word) throw new Error(`The parameter ${place} of ${path} has no description; add it to IN_PATHS`);
  const [description, example] = word;
  parameter.description = description;
  parameter.schema = { ...parameter.schema, maxLength: 512, examples: [example] };
}

/** Moves the example of a parameter into its schema, where JSON Schema expects examples. */
function exampleOntoSchema(parameter: DescribedPart): void {
  const { example } = parameter;
  delete parameter.example;
  if (example !== undefined) parameter.schema = { ...parameter.schema, examples: [example] };
}

/** Marks a body as required if it has a required field. A missing body is treated as an empty body. */
function requireBody({ requestBody }: Operation, schemas: Readonly<Record<string, Schema>>): void {
  if (!requestBody) return;
  requestBody.required = Object.values(requestBody.content ?? {}).some(
    ({ schema }) => schema !== undefined && !isOptional(schema, schemas),
  );
}

function isOptional(schema: Schema, schemas: Readonly<Record<string, Schema>>): boolean {
  const name = referencedName(schema);
  if (name !== undefined) return isOptional(schemas[name]!, schemas);
  if (schema.oneOf) return schema.oneOf.some((one) => isOptional(one, schemas));
  return schema.type === 'object' && (schema.required ?? []).length === 0;
}
