/** The forms of a context's name that the template uses, by the name of the placeholder. */
export interface Names {
  /** `credit-types`: folder and path. */
  folder: string;
  /** `credit-type`: file. */
  file: string;
  /** `CreditType`: class. */
  Name: string;
  /** `CreditTypes`. */
  Names: string;
  /** `creditType`: variable and category of streams. */
  name: string;
  /** `creditTypes`. */
  names: string;
  /** `credit_types`: table and resource. */
  table: string;
  /** `credit_type`: resource in the audit trail. */
  snake: string;
  /** `credit type`: in sentences. */
  words: string;
  /** `credit types`. */
  wordsPlural: string;
  /** `Credit types`: at the beginning of a sentence. */
  Words: string;
  /** `ct` in `ct_01JD…`. */
  idPrefix: string;
}

const KEBAB = /^[a-z]+(-[a-z]+)*$/;

/**
 * The forms of a name.
 *
 * @throws Error if a name or the prefix is not written as it must be, or the singular cannot be told from the plural
 */
export function namesOf(plural: string, singular?: string, idPrefix?: string): Names {
  const one = singular ?? plural.replace(/s$/, '');
  for (const name of [plural, one])
    if (!KEBAB.test(name))
      throw new Error(`A name has small letters, with hyphens between its words: "${name}" has others`);
  if (one === plural)
    throw new Error(`"${plural}" does not end in s: say with --singular what one of them is called`);
  const prefix = idPrefix ?? one.replaceAll('-', '');
  if (!/^[a-z]+$/.test(prefix))
    throw new Error(`An id prefix has small letters alone: "${prefix}" has others`);
  return {
    folder: plural,
    file: one,
    Name: pascal(one),
    Names: pascal(plural),
    name: camel(one),
    names: camel(plural),
    table: plural.replaceAll('-', '_'),
    snake: one.replaceAll('-', '_'),
    words: one.replaceAll('-', ' '),
    wordsPlural: plural.replaceAll('-', ' '),
    Words: capital(plural.replaceAll('-', ' ')),
    idPrefix: prefix,
  };
}

const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1);
const pascal = (name: string): string => name.split('-').map(capital).join('');
const camel = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
