import type { {{Name}} } from './{{file}}.js';

/** A {{words}} as the API shows it. */
export function present{{Name}}({ {{name}}Id, name, createdAt }: {{Name}}) {
  return { id: {{name}}Id, name, createdAt };
}
