import type { OpenAPIObject } from '@nestjs/swagger';

const examples = new Map<string, object>();

/**
 * The example of a whole body, for one whose fields are not for each other: an example of every field at once, which the
 * reference would offer to try otherwise, would be refused.
 */
export function BodyExample(example: object): ClassDecorator {
  return (body) => void examples.set(body.name, example);
}

/** Puts the examples into the OpenAPI document. */
export function describeExamples(document: OpenAPIObject): OpenAPIObject {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    const example = examples.get(name);
    if (example !== undefined) Object.assign(schema, { example });
  }
  return document;
}
