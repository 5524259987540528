import type { Schema } from './schema.js';

/** How the OpenAPI document describes the `data` of webhooks: `<folder>.webhook-schemas.ts` exports one by default. */
export interface WebhookSchemas {
  /** The view of the resource that `data` is, by what stands before the dot of the event's name. */
  readonly resources: Readonly<Record<string, { readonly name: string }>>;
  /** What an event says beside its resource. */
  readonly beside: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  /** What `data` is of events that are not about the resource they are named after. */
  readonly own: Readonly<Record<string, Schema>>;
}

/** Schemas of single fields, each with a description. */
export const fields = {
  text: (description: string, example: string): Schema => ({ type: 'string', description, example }),
  textOrNull: (description: string, example: string): Schema => ({
    type: ['string', 'null'],
    description,
    example,
  }),
  instant: (description: string): Schema => ({
    type: 'string',
    format: 'date-time',
    description,
    example: '2026-02-01T00:00:00.000Z',
  }),
  whole: (description: string, example: number): Schema => ({ type: 'integer', description, example }),
};

/** The schema of an object that has all these fields. */
export function objectOf(properties: Readonly<Record<string, Schema>>, description?: string): Schema {
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    required: Object.keys(properties),
    properties: { ...properties },
  };
}
