import { convert } from 'xmlbuilder2';

/** An element as it was read: its children by name, its attributes by `@name`, its text as `#`. */
export type Node = string | { [name: string]: Node | Node[] } | undefined;

/** The root element of an XML document, which must have this name. */
export function rootOf(xml: string, name: string): Node {
  const document = convert(xml, { format: 'object' }) as { [name: string]: Node };
  if (!(name in document)) throw new Error(`The document is no ${name}: ${Object.keys(document).join(', ')}`);
  return document[name];
}

/** An electronic address as its scheme and its id; null if there is none. */
export function endpointOf(scheme: string | null, id: string | null): string | null {
  return id === null ? null : `${scheme}:${id}`;
}

/** Every element at a path, such as `cac:TaxTotal/cac:TaxSubtotal`. */
export function all(node: Node, path: string): Node[] {
  return path.split('/').reduce<Node[]>(
    (nodes, name) =>
      nodes.flatMap((one) => {
        const child = typeof one === 'object' ? one[name] : undefined;
        return child === undefined ? [] : Array.isArray(child) ? child : [child];
      }),
    [node],
  );
}

/** The text of the first element at a path; null if there is none. */
export function text(node: Node, path: string): string | null {
  const [first] = all(node, path);
  if (first === undefined) return null;
  if (typeof first === 'string') return first;
  const own = first['#'];
  return typeof own === 'string' ? own : null;
}
