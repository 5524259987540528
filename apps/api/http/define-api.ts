import type { Type } from '@nestjs/common';
import { discoverFiles } from '#libs/manifest';
import type { WebhookSchemas } from './openapi/webhook-schemas.js';

/** The parts of the API's reference, in their order. */
export const TAG_GROUPS = [
  'access',
  'customers',
  'catalog',
  'subscriptions',
  'usage',
  'invoices',
  'books',
  'operation',
] as const;

/** A subject of operations, named by `@ApiTags`. */
export interface ApiTag {
  readonly name: string;
  readonly group: (typeof TAG_GROUPS)[number];
  readonly description: string;
}

/** The parts of the API that one folder adds. Its `<folder>.api.ts` exports this by default, and is found by its file name. */
export interface ApiFolder {
  /** The module that holds the controllers. */
  readonly module: Type;
  /** The tags of its controllers, except those that another folder describes. */
  readonly tags: readonly ApiTag[];
  /** The schemas of the webhook events that the folder adds. */
  readonly webhooks?: WebhookSchemas;
  /** The views of entries in the export of a customer's data, by the name of the part. */
  readonly customerData?: Readonly<Record<string, Type>>;
}

/** Declares what a folder adds to the API. */
export function defineApi(folder: ApiFolder): ApiFolder {
  return folder;
}

/** Returns what each folder of `apps/api` declares in its `*.api.ts` file, such as its module, tags and schemas. */
export function apiFolders(): ApiFolder[] {
  return discoverFiles<ApiFolder>('apps/api', 'api').map(({ value }) => value);
}
