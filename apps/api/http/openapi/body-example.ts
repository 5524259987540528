import type { Document } from './schema.js';

const examples = new Map<string, object>();

/**
 * The example of a whole body, for one whose fields are not for each other: an example of every field at once, which the
 * reference would offer to try otherwise, would be refused.
 */
export function BodyExample(example: object): ClassDecorator {
  return (body) => void examples.set(body.name, example);
}

/** Puts the examples into the OpenAPI document. */
export function describeExamples({ components: { schemas } }: Document): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const example = examples.get(name);
    if (example !== undefined) schema.examples = [example];
  }
}
