# {{Words}}

Say here, in one or two sentences, what the context is for, and what Stripe and Kill Bill call it.

- **Owns**: the name of each {{words}}. The context has no Postgres tables.
- **Does not own**: the list for the API (`projections/{{folder}}`).
- **Streams**: `{{name}}-<workspace id>.<{{words}} id>`.
- **Events**: `{{Name}}Created`.
- **Begin with** the decider `{{file}}.ts`, then `commands`.
