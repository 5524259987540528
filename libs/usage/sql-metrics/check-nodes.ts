import {
  ALLOWED_AGGREGATES,
  UNTYPED_NODE_FIELDS,
  ALLOWED_EXPRESSION_KINDS,
  ALLOWED_FUNCTIONS,
  ALLOWED_NODES,
  ALLOWED_OPERATORS,
  ALLOWED_SYNTAX_FUNCTIONS,
  TIME_TYPES,
  ALLOWED_TYPES,
} from './allow-list.js';

/** The reason why SQL is refused, worded to follow the field's name, and the position of the error. */
export interface SqlRefusal {
  readonly message: string;
  /**
   * The position of the error. In the parser's tree, the position is a byte, counted from 0. In a response to a client, the position is a
   * character, counted from 1.
   */
  readonly position?: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** The maximum depth of nested nodes, which is sufficient for SQL that people write. */
const MAX_DEPTH = 100;
const ISO = /^\d{4}-\d\d-\d\d/;
const CLOCK = /^\s*(?:now|today|tomorrow|yesterday)\b/i;
const RELATION = 'events';

class Refused extends Error {
  constructor(
    message: string,
    readonly position: number | undefined,
  ) {
    super(message);
  }
}

/**
 * Returns the reason why a metric must not use a statement. `statement` is a tree of Postgres's parser. Returns undefined if the statement
 * is allowed.
 */
export function checkNodes(statement: unknown): SqlRefusal | undefined {
  try {
    const [type, fields] = nodeOf(statement) ?? ['nothing', {}];
    if (type !== 'SelectStmt') throw new Refused('must be a SELECT, or an expression', undefined);
    new Checker().outermost(fields);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { message: error.message, position: error.position };
  }
}

class Checker {
  private place: number | undefined;
  private readsEvents = false;

  outermost(select: Fields): void {
    this.node('SelectStmt', select, new Set(), 0);
    this.place = undefined;
    if (toArray(select['targetList']).length !== 1) this.refuse('must select exactly one value');
    if (toArray(select['groupClause']).length > 0)
      this.refuse('must not end in groups, but in one value; groupBy gives a value for each group');
    if (!hasAggregate(select['targetList']))
      this.refuse('must aggregate the events, as sum(…) and count(*) do');
    if (!this.readsEvents) this.refuse(`must read ${RELATION}`);
  }

  /** `names` contains the CTEs to which the node can refer. */
  private node(type: string, fields: Fields, names: ReadonlySet<string>, depth: number): void {
    const allowed = ALLOWED_NODES[type];
    if (typeof fields['location'] === 'number') this.place = fields['location'];
    else if (type === 'SelectStmt') this.place = undefined;
    if (depth > MAX_DEPTH) this.refuse('is nested too deeply');
    if (allowed === undefined) this.refuse(`must not have ${wordsOf(type)}`);
    for (const [field, value] of Object.entries(fields))
      if (!allowed.includes(field) && isGiven(value)) this.refuse(`must not have ${wordsOf(field)}`);
    this.rules(type, fields, names);
    if (type === 'SelectStmt') names = this.withClause(fields['withClause'], names, depth + 1);
    for (const [field, value] of Object.entries(fields))
      if (field !== 'withClause') this.field(field, value, names, depth + 1);
  }

  private field(field: string, value: unknown, names: ReadonlySet<string>, depth: number): void {
    const bare = UNTYPED_NODE_FIELDS[field];
    if (bare !== undefined) return this.node(bare, value as Fields, names, depth);
    for (const one of toArray(value)) {
      const found = nodeOf(one);
      if (found) this.node(...found, names, depth);
    }
  }

  /** Returns all names of CTEs that are known after the WITH clause. Each CTE can refer to the CTEs before it. */
  private withClause(clause: unknown, names: ReadonlySet<string>, depth: number): ReadonlySet<string> {
    if (clause === undefined) return names;
    const fields = clause as Fields;
    if (fields['recursive'] === true) this.refuse('must not have WITH RECURSIVE');
    const known = new Set(names);
    for (const cte of toArray(fields['ctes'])) {
      const [type, cteFields] = nodeOf(cte)!;
      const name = String(cteFields['ctename']);
      if (name === RELATION || known.has(name)) this.refuse(`must not name two things "${name}"`);
      if (nodeOf(cteFields['ctequery'])?.[0] !== 'SelectStmt')
        this.refuse('must have nothing but SELECT in WITH');
      this.node(type, cteFields, new Set(known), depth);
      known.add(name);
    }
    return known;
  }

  private rules(type: string, fields: Fields, names: ReadonlySet<string>): void {
    switch (type) {
      case 'SelectStmt':
        return this.select(fields);
      case 'RangeVar': {
        const name = String(fields['relname']);
        if (name === RELATION) this.readsEvents = true;
        else if (!names.has(name)) this.refuse(`must read nothing but ${RELATION}, not "${name}"`);
        return;
      }
      case 'FuncCall':
        return this.call(fields);
      case 'A_Expr': {
        const operator = namesOf(fields['name']);
        if (
          !ALLOWED_EXPRESSION_KINDS.has(fields['kind']) ||
          operator.length !== 1 ||
          !ALLOWED_OPERATORS.has(operator[0]!)
        )
          this.refuse(`must not use the operator ${operator.join('.')}`);
        return;
      }
      case 'TypeCast':
        return this.cast(fields);
      case 'A_Const': {
        const text = textOf(fields);
        if (text !== undefined && CLOCK.test(text))
          this.refuse(`must not have the text '${text.trim()}', which Postgres reads as a time`);
        return;
      }
      default:
    }
  }

  private select({ fromClause, op, limitOption, distinctClause }: Fields): void {
    if (op !== 'SETOP_NONE') this.refuse('must not have UNION, INTERSECT or EXCEPT');
    if (limitOption !== 'LIMIT_OPTION_DEFAULT') this.refuse('must not have LIMIT');
    const from = toArray(fromClause);
    if (from.length === 0) this.refuse(`must have FROM ${RELATION} in each SELECT`);
    if (from.length > 1) this.refuse('must not join: each SELECT reads from one thing');
    if (toArray(distinctClause).some((one) => nodeOf(one))) this.refuse('must not have DISTINCT ON');
  }

  private call({ funcname, funcformat }: Fields): void {
    const name = namesOf(funcname);
    const last = name.at(-1)!;
    const isSyntax =
      funcformat === 'COERCE_SQL_SYNTAX' && name.length === 2 && ALLOWED_SYNTAX_FUNCTIONS.has(last);
    const isNamed = name.length === 1 && (ALLOWED_FUNCTIONS.has(last) || ALLOWED_AGGREGATES.has(last));
    if (!isSyntax && !isNamed) this.refuse(`must not call the function ${name.join('.')}`);
  }

  private cast({ arg, typeName }: Fields): void {
    const name = namesOf((typeName as Fields)['names']);
    const type = name.at(-1)!;
    const isKnown = name.length === 1 || (name.length === 2 && name[0] === 'pg_catalog');
    if (!isKnown || !(ALLOWED_TYPES.has(type) || TIME_TYPES.has(type)))
      this.refuse(
        `must not cast to ${name.join('.')}${/^float/.test(type) ? ', which is not exact: use numeric' : ''}`,
      );
    if (!TIME_TYPES.has(type)) return;
    const [argType, constant] = nodeOf(arg) ?? [];
    const text = argType === 'A_Const' ? textOf(constant!) : undefined;
    if (text === undefined || (type !== 'interval' && !ISO.test(text)))
      this.refuse(
        `must cast to ${type} nothing but a literal such as ${type === 'interval' ? "interval '1 hour'" : "'2026-01-31'"}`,
      );
  }

  private refuse(message: string): never {
    throw new Refused(message, this.place);
  }
}

/**
 * Tells whether a value contains an aggregate function that belongs to its own SELECT. Subqueries need no special rule here, because
 * subqueries in such a value are refused anyway.
 */
function hasAggregate(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const [type, fields] = nodeOf(value) ?? [];
  if (type === 'FuncCall' && ALLOWED_AGGREGATES.has(namesOf(fields!['funcname']).at(-1)!)) return true;
  return Object.values(value).some(hasAggregate);
}

/** Returns the type and fields of a node such as `{"A_Const": {…}}`. Undefined for any other shape. */
function nodeOf(value: unknown): [type: string, fields: Fields] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const [type, fields] = entries[0] ?? [];
  return entries.length === 1 && /^[A-Z]/.test(type!) ? [type!, fields as Fields] : undefined;
}

function toArray(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function namesOf(names: unknown): string[] {
  return toArray(names).map((one) => String(nodeOf(one)?.[1]['sval']));
}

function textOf(constant: Fields): string | undefined {
  const text = constant['sval'] as { sval?: string } | undefined;
  return text && (text.sval ?? '');
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** Returns the SQL words for a node or field of the parser. */
function wordsOf(name: string): string {
  const known: Record<string, string> = {
    SubLink: 'a subquery in an expression',
    JoinExpr: 'a join',
    ParamRef: 'parameters such as $1',
    SQLValueFunction: 'what depends on the clock or the session, such as CURRENT_DATE',
    RangeFunction: 'a function in FROM',
    intoClause: 'INTO',
    lockingClause: 'FOR UPDATE or FOR SHARE',
    recursive: 'WITH RECURSIVE',
    over: 'window functions',
    windowClause: 'window functions',
    sortClause: 'ORDER BY',
    limitCount: 'LIMIT',
    limitOffset: 'OFFSET',
    valuesLists: 'VALUES',
    schemaname: 'a schema before a name',
    catalogname: 'a database before a name',
    lateral: 'LATERAL',
    arrayBounds: 'array types',
    func_variadic: 'VARIADIC',
  };
  return known[name] ?? name;
}
