import { customerDataParts } from '#libs/manifest';
import { apiFolders } from '../define-api.js';
import { refTo, type Document, type Schema } from './schema.js';
import { fieldSchemas, objectSchema } from './webhook-schemas.js';

/** The name of the OpenAPI schema of a customer's data export. */
export const CUSTOMER_DATA_SCHEMA = 'CustomerDataExport';

const { text, instant } = fieldSchemas;

/**
 * For each part of a customer's data export, such as `invoices`: returns the response class of the entries in that part. If a part is not a
 * list, its class describes the whole part.
 */
export function customerDataViews() {
  return new Map(apiFolders().flatMap(({ customerData }) => Object.entries(customerData ?? {})));
}

/**
 * Adds the schema of the export of a customer's data. Throws an Error if a part of the export has no response class, or a response class
 * has no part.
 */
export function addCustomerDataExportSchema({ components: { schemas } }: Document): void {
  const views = customerDataViews();
  const parts = customerDataParts().map(({ name, single }): [string, Schema] => {
    const view = views.get(name);
    if (!view)
      throw new Error(`No folder of apps/api has the view of the part ${name} in its customerData; add it`);
    return [name, single ? refTo(view.name) : { type: 'array', items: refTo(view.name) }];
  });
  const known = new Set(parts.map(([name]) => name));
  const unknown = [...views.keys()].find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Error(`No context has a part ${unknown} of customer data, so remove its view`);
  const described = parts.map(([name, schema]): [string, Schema] => [
    name,
    { ...schema, description: `The part \`${name}\` of what is stored about the customer.` },
  ]);
  schemas[CUSTOMER_DATA_SCHEMA] = objectSchema(
    {
      format: {
        type: 'string',
        const: 'countinghouse.customer-data',
        example: 'countinghouse.customer-data',
        description: 'The kind of the document.',
      },
      version: { type: 'integer', const: 1, example: 1, description: 'The version of the document format.' },
      exportedAt: instant("The time of the export, by the workspace's clock."),
      workspaceId: text('The id of the workspace.', 'acc_01JD0000000000000000000000'),
      customerId: text('The id of the customer.', 'cust_northwind'),
      ...Object.fromEntries(described),
      complete: {
        type: 'boolean',
        const: true,
        example: true,
        description: 'The last field. A document without this last field is not complete.',
      },
    },
    'Everything that is stored about a customer.',
  );
}
