import { ApiPropertyOptional } from '@nestjs/swagger';

const fieldsOf = new Map<new () => object, Set<string>>();

/** Notes a field of a request, so that the document can say what it is when it is left out. */
export function noteField(shown: new () => object, field: string): void {
  fieldsOf.set(shown, (fieldsOf.get(shown) ?? new Set()).add(field));
}

/** Says of each field that its class gives a value what that is. To be done before the document is made of the decorators. */
export function describeDefaults(): void {
  for (const [shown, fields] of fieldsOf) {
    const values = new shown() as Record<string, unknown>;
    for (const field of fields)
      if (values[field] !== undefined)
        ApiPropertyOptional({ default: values[field] })(shown.prototype as object, field);
  }
}
