import type { Document } from './schema.js';

const examples = new Map<string, object>();

/**
 * Gives an example of a whole request body, for a body with fields that exclude each other. Without the example, the API reference would
 * suggest a body with all fields, which the API would refuse.
 */
export function BodyExample(example: object): ClassDecorator {
  return (body) => void examples.set(body.name, example);
}

/** Puts the examples of request bodies into the OpenAPI document. */
export function describeExamples({ components: { schemas } }: Document): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const example = examples.get(name);
    if (example !== undefined) schema.examples = [example];
  }
}
