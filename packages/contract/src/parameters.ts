// The parameters of an operation, and the headers of all operations.

import type { OpenApi, Operation, Parameter, Reference } from './openapi.ts'

type Components = Pick<OpenApi['components'], 'parameters'>

/**
 * Returns the parameters in the contract's order. Leaves out the headers of a GET: they are preconditions, which are
 * evaluated against its response (RFC 9110, 13; http/response/response.ts).
 */
export function parametersOf(method: string, { parameters = [] }: Operation, components: Components): Parameter[] {
  return parameters
    .map((parameter) => resolve(parameter, components))
    .filter((parameter) => method !== 'get' || parameter.in !== 'header')
}

/** Returns the names sorted and without duplicates. */
export function headersOf({ paths, components }: OpenApi): Record<'requests' | 'responses', readonly string[]> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const parameters = operations.flatMap((operation) =>
    (operation.parameters ?? []).map((one) => resolve(one, components)),
  )
  const responses = operations.flatMap((operation) => Object.values(operation.responses))
  return {
    requests: sorted(parameters.flatMap((parameter) => (parameter.in === 'header' ? parameter.name : []))),
    responses: sorted(
      [...Object.values(components.responses), ...responses].flatMap((response) =>
        '$ref' in response ? [] : Object.keys(response.headers ?? {}),
      ),
    ),
  }
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort()
}

function resolve(parameter: Reference | Parameter, { parameters }: Components): Parameter {
  if (!('$ref' in parameter)) return parameter
  const target = parameters[parameter.$ref.replace('#/components/parameters/', '')]
  if (!target) throw new Error(`no parameter at ${parameter.$ref}`)
  return target
}
