import type { Document } from './schema.js';

const examples = new Map<string, object>();

/**
 * Gives an example of a whole body, for a body whose fields exclude each other. Without it, the reference would suggest a body with all
 * fields at once, which the API would refuse.
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
