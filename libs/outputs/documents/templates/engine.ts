import Handlebars from 'handlebars';

/** A separate Handlebars environment, so that no other code can add helpers or partials to these templates. */
const handlebars = Handlebars.create();

/** Defines a partial, which templates include as `{{> name}}`. */
export function definePartial(name: string, source: string): void {
  handlebars.registerPartial(name, source);
}

/**
 * Compiles a template. Every `{{value}}` is escaped. A template may put values only in text and in quoted attributes. Escaping does not
 * make a value safe in a style, in a script or at the start of an address. If a template uses a field that the view does not have,
 * rendering fails with an error.
 */
export function compileTemplate<View extends object>(source: string): (view: View) => string {
  if (source.includes('{{{') || source.includes('{{&')) throw new Error('A template escapes every value');
  const render = handlebars.compile(source, { strict: true, knownHelpersOnly: true });
  return (view) => render(view);
}
