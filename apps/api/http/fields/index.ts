export { CurrencyField, TimezoneField } from './codes.js';
export { CustomFieldsField, CustomFieldView } from './custom-fields.js';
export { RuleField } from './field.js';
export {
  IdField,
  IdOrEmptyField,
  ChosenIdField,
  IdListField,
  PermissionListField,
  TextListField,
} from './ids.js';
export { InstantField, PERIOD_END, InstantOrPeriodEndField } from './instants.js';
export { MonthField } from './months.js';
export { MetadataField } from './metadata.js';
export { NameTranslationsField, NameTranslationsProperty } from './name-translations.js';
export { IntegerField, DecimalField, DecimalListField, IntegerListField } from './numbers.js';
export { ObjectField, ObjectListField } from './object.js';
export { BicField, CountryField, IbanField, VatIdField } from './parties.js';
export {
  TextField,
  SingleLineField,
  NameField,
  EmailField,
  EmailListField,
  BooleanField,
  ChoiceField,
} from './text.js';
export { SinceField, UntilField } from './ranges.js';
