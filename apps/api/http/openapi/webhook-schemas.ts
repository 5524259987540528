import type { Schema } from './schema.js';

/**
 * The OpenAPI schemas for the `data` of webhook events. A folder's `webhook-schemas.ts` exports its `WebhookSchemas`. The folder's
 * `<folder>.api.ts` lists them.
 */
export interface WebhookSchemas {
  /**
   * The response class of the resource that is the `data` of a webhook event. The key is the part of the webhook event's name before the
   * dot.
   */
  readonly resources: Readonly<Record<string, { readonly name: string }>>;
  /** The fields that a webhook event adds to its resource, by the event's name. */
  readonly additionalFields: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  /** The schema of the whole `data`, for events whose `data` is not the resource that `resources` has for them. */
  readonly wholeData: Readonly<Record<string, Schema>>;
}

/** Functions that make schemas of single fields, each with a description. */
export const fieldSchemas = {
  text: (description: string, example: string): Schema => ({ type: 'string', description, example }),
  textOrNull: (description: string, example: string): Schema => ({
    type: ['string', 'null'],
    description,
    example,
  }),
  instantOrNull: (description: string): Schema => ({
    type: ['string', 'null'],
    format: 'date-time',
    description,
    example: null,
  }),
  instant: (description: string): Schema => ({
    type: 'string',
    format: 'date-time',
    description,
    example: '2026-02-01T00:00:00.000Z',
  }),
  wholeNumber: (description: string, example: number): Schema => ({ type: 'integer', description, example }),
};

/** Returns the schema of an object in which all the given fields are required. */
export function objectSchema(properties: Readonly<Record<string, Schema>>, description?: string): Schema {
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    required: Object.keys(properties),
    properties: { ...properties },
  };
}
