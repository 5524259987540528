import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** What is needed here of a node of Babel and of the way to it. */
interface Path {
  readonly node: {
    readonly type: string;
    readonly value?: unknown;
    readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
    readonly callee?: Name;
    readonly key?: Name;
  };
  readonly parentPath: Path | null;
}

interface Name {
  readonly type: string;
  readonly name?: string;
  readonly property?: Name;
}

/** Constructors and functions that make an error. */
const MAKES_ERROR = /(Error|InvalidRequest|Conflict|NotFound|field|refuse|refused|wrong|tooMuch)$/;

/**
 * The message of an error is wording, and no test holds it word by word; its code has no space and is mutated. Says why
 * a node is left out, or nothing.
 */
function shouldIgnore(path: Path): string | undefined {
  return isText(path) && isInError(path.parentPath) ? 'the wording of a message' : undefined;
}

function isText({ node }: Path): boolean {
  if (node.type === 'StringLiteral') return String(node.value).includes(' ');
  if (node.type !== 'TemplateLiteral') return false;
  return node.quasis!.some(({ value }) => value.raw.includes(' '));
}

function isInError(path: Path | null): boolean {
  if (path === null || /Statement|Function|Declarat/.test(path.node.type)) return false;
  const { type, callee, key } = path.node;
  if (type === 'ObjectProperty' && key?.name === 'message') return true;
  if ((type === 'NewExpression' || type === 'CallExpression') && MAKES_ERROR.test(nameOf(callee!)))
    return true;
  return isInError(path.parentPath);
}

function nameOf({ name, property }: Name): string {
  return name ?? property?.name ?? '';
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'wording', { shouldIgnore })];
