/**
 * The syntax nodes that the SQL of a metric may contain, with the names of Postgres's parser. Everything else is refused, including nodes
 * and fields that a later version of the parser adds. Each node is harmless, and its time grows only in proportion to the number of events.
 * Each gives the same result for the same events at any time: no random values, clock, order or floating point.
 */
export const ALLOWED_NODES: Readonly<Record<string, readonly string[]>> = {
  SelectStmt: [
    'targetList',
    'fromClause',
    'whereClause',
    'groupClause',
    'havingClause',
    'withClause',
    'distinctClause',
    'limitOption',
    'op',
  ],
  WithClause: ['ctes', 'location'],
  CommonTableExpr: ['ctename', 'aliascolnames', 'ctematerialized', 'ctequery', 'location'],
  RangeVar: ['relname', 'inh', 'relpersistence', 'alias', 'location'],
  RangeSubselect: ['subquery', 'alias'],
  Alias: ['aliasname', 'colnames'],
  ResTarget: ['name', 'val', 'location'],
  ColumnRef: ['fields', 'location'],
  A_Star: [],
  A_Const: ['ival', 'fval', 'sval', 'boolval', 'isnull', 'location'],
  A_Expr: ['kind', 'name', 'lexpr', 'rexpr', 'rexpr_list_start', 'rexpr_list_end', 'location'],
  A_ArrayExpr: ['elements', 'list_start', 'list_end', 'location'],
  BoolExpr: ['boolop', 'args', 'location'],
  NullTest: ['arg', 'nulltesttype', 'location'],
  BooleanTest: ['arg', 'booltesttype', 'location'],
  CaseExpr: ['arg', 'args', 'defresult', 'location'],
  CaseWhen: ['expr', 'result', 'location'],
  CoalesceExpr: ['args', 'location'],
  MinMaxExpr: ['op', 'args', 'location'],
  TypeCast: ['arg', 'typeName', 'location'],
  TypeName: ['names', 'typmods', 'typemod', 'location'],
  FuncCall: [
    'funcname',
    'args',
    'agg_order',
    'agg_filter',
    'agg_star',
    'agg_distinct',
    'agg_within_group',
    'funcformat',
    'location',
  ],
  SortBy: ['node', 'sortby_dir', 'sortby_nulls', 'location'],
  List: ['items'],
  String: ['sval'],
  Integer: ['ival'],
};

/** The fields whose value is such a node without its name. */
export const BARE_NODES: Readonly<Record<string, string>> = {
  withClause: 'WithClause',
  typeName: 'TypeName',
  alias: 'Alias',
};

/** Functions that compute one value from many rows. */
export const ALLOWED_AGGREGATES: ReadonlySet<string> = new Set([
  'count',
  'sum',
  'min',
  'max',
  'avg',
  'bool_and',
  'bool_or',
  'every',
  'percentile_disc',
]);

/**
 * Functions that compute one value from one row. `number` is our own function: it returns the number at a property, or null if there is
 * none.
 */
export const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['number', 'abs', 'ceil', 'ceiling', 'floor', 'round', 'trunc', 'sign', 'mod', 'div'],
  ...[
    'length',
    'char_length',
    'lower',
    'upper',
    'left',
    'right',
    'substr',
    'split_part',
    'strpos',
    'starts_with',
  ],
  ...['btrim', 'ltrim', 'rtrim', 'date_trunc', 'date_bin', 'jsonb_typeof', 'jsonb_array_length'],
]);

/** The functions to which the parser converts special syntax: `EXTRACT(… FROM …)`, `… AT TIME ZONE …`, `TRIM(…)`. */
export const ALLOWED_SYNTAX_FUNCTIONS: ReadonlySet<string> = new Set([
  'extract',
  'timezone',
  'btrim',
  'ltrim',
  'rtrim',
]);

export const ALLOWED_EXPRESSION_KINDS: ReadonlySet<unknown> = new Set([
  'AEXPR_OP',
  'AEXPR_OP_ANY',
  'AEXPR_IN',
  'AEXPR_LIKE',
  'AEXPR_ILIKE',
  'AEXPR_BETWEEN',
  'AEXPR_NOT_BETWEEN',
  'AEXPR_DISTINCT',
  'AEXPR_NOT_DISTINCT',
  'AEXPR_NULLIF',
]);

/**
 * The allowed operators. `||` is not allowed. A text that is joined with itself a few dozen times can exceed the memory. `^` is missing,
 * because it uses floating point.
 */
export const ALLOWED_OPERATORS: ReadonlySet<string> = new Set([
  ...['+', '-', '*', '/', '%', '=', '<>', '<', '>', '<=', '>=', 'BETWEEN', 'NOT BETWEEN'],
  ...['->', '->>', '#>', '#>>', '?', '?|', '?&', '@>', '<@', '~~', '!~~', '~~*', '!~~*'],
]);

/** The types, by the parser's names. For example, `integer` is int4. */
export const ALLOWED_TYPES: ReadonlySet<string> = new Set([
  ...['numeric', 'int2', 'int4', 'int8', 'bool', 'text', 'varchar', 'jsonb'],
]);

/** The types that only a literal in ISO form can be cast to. A text such as `now` would be a different time at each run. */
export const TIME_TYPES: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz', 'interval']);
