/**
 * The syntax nodes that the SQL of a metric may contain, as Postgres's parser names them. All other syntax is refused, including nodes and
 * fields that a later version of the parser adds. Each allowed node is harmless, and its duration grows only in proportion to the number of
 * events. Each node returns the same result for the same events at any time: no random values, clock, order or floating point.
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

/** The fields of a node that contain another node without its type name, and the type of that node. */
export const UNTYPED_NODE_FIELDS: Readonly<Record<string, string>> = {
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
 * Functions that compute one value from one row. The function `number` is our own: it returns the number at a property, or null if there is
 * none.
 */
export const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set([
  'number',
  'abs',
  'ceil',
  'ceiling',
  'floor',
  'round',
  'trunc',
  'sign',
  'mod',
  'div',
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
  'btrim',
  'ltrim',
  'rtrim',
  'date_trunc',
  'date_bin',
  'jsonb_typeof',
  'jsonb_array_length',
]);

/** The functions that the parser uses for special syntax: `EXTRACT(… FROM …)`, `… AT TIME ZONE …`, `TRIM(…)`. */
export const ALLOWED_SYNTAX_FUNCTIONS: ReadonlySet<string> = new Set([
  'extract',
  'timezone',
  'btrim',
  'ltrim',
  'rtrim',
]);

/** The allowed kinds of operator expressions, such as `a + b` or `a IN (b, c)`, as Postgres's parser names them. */
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
 * The allowed operators. The operator `||` is not allowed, because a text that is joined with itself a few dozen times can exceed the
 * memory. The operator `^` is not allowed, because it uses floating point.
 */
export const ALLOWED_OPERATORS: ReadonlySet<string> = new Set([
  '+',
  '-',
  '*',
  '/',
  '%',
  '=',
  '<>',
  '<',
  '>',
  '<=',
  '>=',
  'BETWEEN',
  'NOT BETWEEN',
  '->',
  '->>',
  '#>',
  '#>>',
  '?',
  '?|',
  '?&',
  '@>',
  '<@',
  '~~',
  '!~~',
  '~~*',
  '!~~*',
]);

/** The allowed types, as Postgres's parser names them. For example, `integer` is int4. */
export const ALLOWED_TYPES: ReadonlySet<string> = new Set([
  'numeric',
  'int2',
  'int4',
  'int8',
  'bool',
  'text',
  'varchar',
  'jsonb',
]);

/**
 * The types to which only a literal in ISO form can be cast. Other texts are refused, because a text such as `now` means a different time
 * at each run.
 */
export const TIME_TYPES: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz', 'interval']);
