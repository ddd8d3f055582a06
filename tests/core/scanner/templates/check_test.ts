import * as assert from "node:assert/strict";
import { checkTemplate } from "../../../../core/scanner/templates/check.ts";
import { seeded } from "../mutation.ts";
import { verdict } from "../verdict.ts";

const CHATML = `{% for message in messages %}
{%- if loop.first and messages[0]['role'] != 'system' -%}
{{ '<|im_start|>system\\nBe kind.<|im_end|>\\n' }}
{%- endif -%}
{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] | trim + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

const LLAMA3 = `{{- bos_token }}
{%- if custom_tools is defined %}{%- set tools = custom_tools %}{%- endif %}
{%- if not tools_in_user_message is defined %}{%- set tools_in_user_message = true %}{%- endif %}
{%- if not date_string is defined %}
  {%- if strftime_now is defined %}{%- set date_string = strftime_now("%d %b %Y") %}
  {%- else %}{%- set date_string = "26 Jul 2024" %}{%- endif %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
  {%- set system_message = messages[0]['content']|trim %}{%- set messages = messages[1:] %}
{%- else %}{%- set system_message = "" %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if builtin_tools is defined or tools is not none %}{{- "Environment: ipython\\n" }}{%- endif %}
{%- if builtin_tools is defined %}
  {{- "Tools: " + builtin_tools | reject('equalto', 'code_interpreter') | join(", ") + "\\n\\n"}}
{%- endif %}
{%- for t in tools %}{{- t | tojson(indent=4) }}{{- "\\n\\n" }}{%- endfor %}
{%- for message in messages %}
  {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim }}
  {%- elif 'tool_calls' in message %}
    {%- if not message.tool_calls|length == 1 %}
      {{- raise_exception("This model only supports single tool-calls at once!") }}
    {%- endif %}
    {%- set tool_call = message.tool_calls[0].function %}
    {%- for arg_name, arg_val in tool_call.arguments | items %}
      {{- arg_name + '="' + arg_val + '"' }}{%- if not loop.last %}{{- ", " }}{%- endif %}
    {%- endfor %}
    {{- '"parameters": ' }}{{- tool_call.arguments | tojson }}{{- "}" }}
  {%- endif %}
{%- endfor %}`;

const MISTRAL = `{%- if messages[0]["role"] == "system" %}
{%- set loop_messages = messages[1:] %}{%- else %}{%- set loop_messages = messages %}{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace(index=0) %}
{%- for message in loop_messages %}
{%- if not (message.role == "tool" or (message.tool_calls is defined and message.tool_calls is not none)) %}
{%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
{{- raise_exception("conversation roles must alternate user/assistant/...") }}{%- endif %}
{%- set ns.index = ns.index + 1 %}{%- endif %}{%- endfor %}
{%- for key, val in tool.items() if key != "return" %}
{%- if val is string %}{{- '"' + key + '": "' + val + '"' }}
{%- else %}{{- '"' + key + '": ' + val|tojson }}{%- endif %}{%- endfor %}
{{- "[TOOL_RESULTS] {\\"content\\": " + message.content|string + ", " }}`;

const QWEN3 = `{%- macro render_content(content, is_first) %}
{%- if content is string %}{{- content }}{%- else %}{%- for item in content %}
{%- if 'image' in item or item.type == 'image' %}<|vision_start|><|image_pad|>{%- endif %}
{%- endfor %}{%- endif %}{%- endmacro %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
{%- set index = (messages|length - 1) - loop.index0 %}
{%- if ns.multi_step_tool and message.role == "user" and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
{%- set ns.multi_step_tool = false %}{%- set ns.last_query_index = index %}{%- endif %}{%- endfor %}
{%- for message in messages %}
{%- set content = render_content(message.content, loop.first) %}
{%- set reasoning = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
{%- if loop.last or (not loop.last and reasoning) %}{{- '<think>\\n' + reasoning.strip('\\n') }}{%- endif %}
{%- if messages[loop.index0 - 1].role != "tool" %}{{ messages[loop.previtem if x else 0] }}{%- endif %}
{%- for k in tool.arguments|dictsort %}{{ json_to_type[k] }}{{ types[k ~ '_name'] }}{%- endfor %}
{%- endfor %}{% generation %}{{ {'a': {'b': 1}} }}{% endgeneration %}`;

Deno.test("checkTemplate() finds nothing in templates of honest models", async (t) => {
  const rows: [string, string][] = [
    ["ChatML", CHATML],
    ["Llama 3", LLAMA3],
    ["Mistral", MISTRAL],
    ["Qwen 3", QWEN3],
    ["an empty one", ""],
    ["dunders as text", "Call __import__('os').system, {{ x }} or ''.__class__ %} }}"],
    ["dunders in a comment", "{# x.__class__ ''|attr('__mro__') #}{{ x }}"],
    ["dunders in raw", "{% raw %}{{ x.__class__ }}{% endraw %}{{ x }}"],
    ["a special token with underscores", "{{ '__SYSTEM__' + x }}{{ y[k] }}"],
    ["words in a printed text", "{{ 'import os; eval(1); subprocess.run' }}"],
    ["a macro of the name of a function", "{% macro open(x) %}{{ x }}{% endmacro %}{{ open(1) }}"],
    ["a variable of the name of a module", "{% for os in systems %}{{ os.name }}{% endfor %}"],
    ["a variable that is called eval", "{{ eval }}{{ model.eval }}{% set open = '<' %}{{ open }}"],
    ["computed keys", "{{ hostvars['node_' ~ i].address }}{{ groups[name] | join(',') }}"],
    ["underscores alone", "{{ name.replace('-', '_') }}{{ x[name | replace('.', '_')] }}"],
    ["map and selectattr", "{{ x | map(attribute='a.b') | list }}{{ y | selectattr('role') }}"],
    ["brackets of its own", "{{ {'a': {'b': [1, (2)]}}['a'] }}{{ '}}' }}{% if '%}' %}{% endif %}"],
  ];
  for (const [title, template] of rows) {
    await t.step(title, () => assert.deepEqual(checkTemplate(template), []));
  }
});

Deno.test("evasion 63 access beyond the variables is critical in any spelling", async (t) => {
  const rows = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{% for c in ''.__class__.__base__.__subclasses__() %}{% endfor %}",
    "{%- if x . __class__ -%}{% endif %}",
    "{{ x['__class__'] }}",
    "{{ x['__cla'~'ss__'] }}",
    "{{ x['__cla'+'ss__'] }}",
    "{{ x['__cla' 'ss__'] }}",
    '{{ x["\\x5f\\x5fclass\\x5f\\x5f"] }}',
    '{{ x["\\u005f\\137class\\U0000005f\\N{LOW LINE}"] }}',
    "{{ x['_' * 2 ~ 'class' ~ '_' * 2] }}",
    "{{ x|attr('__class__') }}",
    "{{ x|attr('\\x5f\\x5fclass\\x5f\\x5f') }}",
    "{{ x|attr('__ssalc__'|reverse) }}",
    "{{ x|attr(['__','class','__']|join) }}",
    "{{ x|attr(('__','class','__')|join('')) }}",
    "{{ x|attr('%s%sclass%s%s'|format('_','_','_','_')) }}",
    "{{ x|attr('__%s__' % 'class') }}",
    "{{ x|attr('%c'|format(95) ~ '_class_' ~ '_') }}",
    "{{ x['__{}__'.format('class')] }}",
    "{{ x['{0}{0}class{0}{0}'.format('_')] }}",
    "{{ x['__CLASS__'|lower] }}",
    "{{ x['__CLASS__'.lower()] }}",
    "{{ x['XXclassXX'|replace('X', '_')] }}",
    "{{ x['XXclassXX'.replace('X', '_')] }}",
    "{{ x['__ssalc__'[::-1]] }}",
    "{{ x['ab__class__'[2:]] }}",
    "{{ x['a__class__a'[1:-1]] }}",
    "{{ x[''.join(['__', 'class', '__'])] }}",
    "{{ x[dict(__class__=1)|list|first] }}",
    "{{ x[dict(__cla=1, ss__=2)|join] }}",
    "{{ x[{'__class__': 1}|join] }}",
    "{{ x[['__class__'][0]] }}",
    "{{ x[' __class__ '|trim] }}",
    "{% set a = '__cla' %}{% set b = 'ss__' %}{{ x[a ~ b] }}",
    "{% set a %}__class__{% endset %}{{ x[a] }}",
    "{% macro m() %}{{ x[u ~ '_class_' ~ u] }}{% endmacro %}{% set u = '_' %}{{ m() }}",
    "{{ [x]|map('attr', '__class__')|list }}",
    "{{ [x]|map(attribute='__class__')|list }}",
    "{{ [x]|map(attribute='a.__class__.b')|list }}",
    "{{ [x]|selectattr('__class__')|list }}",
    "{{ [x]|groupby('__class__') }}",
    "{{ [x]|sort(attribute='__class__') }}",
    "{% filter attr('__class__') %}{% endfilter %}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ self._TemplateReference__context.environment }}",
    "{{ (lipsum|attr('__globals__'))['os'].popen('id') }}",
    "{{ '{0.__class__}'.format(x) }}",
    "{{ '{x[__class__]}'.format_map(y) }}",
    "{{ x.mro() }}{{ g.gi_frame.f_back }}",
    "{{ __import__('os') }}",
    "{{ eval('1') }}",
    "{% set o = os %}{{ o.environ }}",
    "{{ os['environ'] }}",
    "{{ sys.modules }}",
    "{{ x.popen('id') }}",
    "{{ x['popen']('id') }}",
    "{{ 1.__class__ }}",
    "{{ x[0].__class__ }}",
    "{{ {'a': x.__class__} }}",
    "{{ {'a': {'b': 1}}|attr('__class__') }}",
    "{{ f(a, b=x.__class__)(x) }}",
    "{{ x if y.__class__ else z }}",
    "{{ x is sameas y.__class__ }}",
    "{% raw %}{% endraw %}{{ x.__class__ }}",
    "{# #}{{ x.__class__ }}",
    "{{ '{#' }}{{ x.__class__ }}{{ '#}' }}",
    "{{ '{% raw %}' }}{{ x.__class__ }}",
    "{{ x.__class__",
    "{{ $ x.__class__ }}",
    "{% set a = [x.__class__] %}",
    "{% do x.update({'a': y.__class__}) %}",
    "{% call(u) m(x.__class__) %}{% endcall %}",
    "{% with a = x.__class__ %}{% endwith %}",
    "{% macro m(a=x.__class__) %}{% endmacro %}",
    `{{ ${"(".repeat(50)}x.__class__${")".repeat(50)} }}`,
    `${"{{ x[k] }}".repeat(20_000)}{{ x.__class__ }}`,
    `${"{{ x._a }}".repeat(200)}{{ x.__class__ }}`,
  ];
  for (const template of rows) {
    await t.step(template.slice(0, 90), () => {
      const findings = checkTemplate(template);
      assert.equal(verdict(findings), "C", JSON.stringify(findings));
      assert.ok(findings.every((finding) => finding.message.length < 200));
    });
  }
});

Deno.test("evasion 63 access that depends on unknown values is a warning", async (t) => {
  const rows = [
    "{{ x|attr(name) }}",
    "{{ x|attr(request.args.a) }}",
    "{{ x|attr('_private') }}",
    "{{ x._private }}",
    "{% for a in ['__cla'] %}{% for b in ['ss__'] %}{{ x[a ~ b] }}{% endfor %}{% endfor %}",
    "{% set ns = namespace(a='__cla') %}{{ x[ns.a ~ 'ss__'] }}",
    "{% macro m(u) %}{{ x[u ~ u ~ 'class' ~ u ~ u] }}{% endmacro %}{{ m('_') }}",
    "{% set u = 'a' %}{% if y %}{% set u = '_' %}{% endif %}{{ x[u ~ u ~ 'class' ~ u ~ u] }}",
    "{% macro m(n) %}{{ x[n] }}{% endmacro %}{{ m('__class__') }}",
    "{{ x['__class__' if y else 'a'] }}",
    "{{ x[('__class__xx'|truncate(9, true, ''))] }}",
  ];
  for (const template of rows) {
    await t.step(template, () => assert.equal(verdict(checkTemplate(template)), "W"));
  }
});

Deno.test("checkTemplate() reports what it did not check", async (t) => {
  const rows: [string, string, string][] = [
    ["a long one", "a".repeat(300_000), "template_too_long"],
    ["a deep one", `{{ ${"[".repeat(5000)}${"]".repeat(5000)} }}`, "template_too_deep"],
    ["an open expression", "{{ x", "template_malformed"],
    ["an open comment", "{# x", "template_malformed"],
    ["an open raw", "{% raw %}{{ x.__class__ }}", "template_malformed"],
    ["an open text", "{{ 'x }}", "template_malformed"],
    ["a character of no meaning", "{{ x $ y }}", "template_malformed"],
  ];
  for (const [title, template, reason] of rows) {
    await t.step(title, () => {
      const findings = checkTemplate(template);
      assert.equal(verdict(findings), "I", JSON.stringify(findings));
      assert.ok(findings.some(({ incomplete }) => incomplete === reason));
    });
  }
});

Deno.test("checkTemplate() follows growing values up to a limit", async (t) => {
  const rows = [
    `{% set a = 'aaaaaaaa' %}${"{% set a = a ~ a %}".repeat(5000)}`,
    `{% set a = 'x' * 4096 %}${"{% set b = a|replace('x', a) %}".repeat(5000)}`,
    `{% set a = 'x' * 4000 %}${"{{ '{0}{0}{0}{0}{0}{0}{0}{0}'.format(a) }}".repeat(5000)}`,
    `{% set a = ['x' * 4000] * 99 + [${"a,".repeat(9999)}] %}${"{{ a|join(a) }}".repeat(9999)}`,
    `{{ ${"x['a'~".repeat(20_000)} }}`,
    `{{ ${"a ** ".repeat(50_000)} x }}`,
    `{{ ${"not ".repeat(60_000)} x }}`,
    `${"{% ".repeat(80_000)}`,
    `${"{{ '\\x5f".repeat(30_000)}`,
    `{{ '${"%s".repeat(2000)}'|format(${"'a',".repeat(2000)}) }}`,
  ];
  for (const template of rows) {
    await t.step(template.slice(0, 60), () => {
      assert.notEqual(verdict(checkTemplate(template)), "C");
    });
  }
});

Deno.test("checkTemplate() does not throw on thousands of mutations", () => {
  const random = seeded(11);
  const bits = ["{{", "}}", "{%", "%}", "{#", "'", '"', "(", ")", "[", "|", ".", "~", "__class__"];
  const seen = new Set<string>();
  for (let round = 0; round < 4000; round++) {
    let text = [CHATML, LLAMA3, MISTRAL, QWEN3][round % 4] ?? "";
    for (let change = 1 + random(5); change > 0; change--) {
      const at = random(text.length);
      const bit = bits[random(bits.length)] ?? "";
      text = text.slice(0, at) + bit + text.slice(at + random(4));
    }
    const findings = checkTemplate(text);
    assert.ok(findings.length <= 150);
    seen.add(verdict(findings));
  }
  assert.deepEqual([...seen].sort(), ["C", "I", "OK", "W"]);
});

const COUNTED = "{% set n = (1, 2)|length %}{% set u = '_' * n %}";
const GLOBALS = "{% set g = cycler[u ~ 'ini' ~ 't' * n ~ u][u ~ 'global' ~ 's' * n ~ u] %}";
const SYSTEM = "g['o' ~ 's' * n]['syste' ~ 'm' * n]";

Deno.test("C 16 the call of an object that is found by a computed key is a warning", async (t) => {
  const rows = {
    "the variable of a loop": `{% for f in [${SYSTEM}] %}{{ f('id') }}{% endfor %}`,
    "a method that data does not have": "{{ g['o' ~ 's' * n].system('id') }}",
    "an attribute of its own": `{% set o = namespace(append=${SYSTEM}) %}{{ o.append('id') }}`,
    "an attribute that is set": `{% set o.append = ${SYSTEM} %}{{ o.append('id') }}`,
    "an item of its own": `{{ {'get': ${SYSTEM}}['get']('id') }}`,
    "a parameter": `{% macro m(f) %}{{ f('id') }}{% endmacro %}{{ m(${SYSTEM}) }}`,
    "an item": `{{ ${SYSTEM}('id') }}`,
  };
  for (const [title, text] of Object.entries(rows)) {
    await t.step(title, () => assert.equal(verdict(checkTemplate(COUNTED + GLOBALS + text)), "W"));
  }
  await t.step("a filter that is given the name", () => {
    const text = "{% set g = [cycler]|map(attribute='ini' * n)|first %}{{ g.system('id') }}";
    assert.equal(verdict(checkTemplate(text)), "W");
  });
  await t.step("ordinary calls beside computed keys", () => {
    const text = "{% macro m(x, indent=2) %}{{ x.strip() ~ caller() }}{% endmacro %}" +
      "{% set ns = namespace(last=messages[loop.index0 - 1], found=false) %}" +
      "{{ m(ns.last.content.split('x')[n]) }}{% for k, v in d.items() %}{{ d[k].get('y') }}" +
      "{% endfor %}{{ raise_exception('no') }}{{ strftime_now('%d') }}{{ ', '.join(a) }}";
    assert.equal(verdict(checkTemplate(text)), "OK");
  });
});

Deno.test("evasion 78: names of arguments and texts in blocks are strings", async (t) => {
  const table: readonly (readonly [string, "C" | "W"])[] = [
    ["{{ ''[dict(__class__=1).keys()|list|first] }}", "C"],
    ["{{ ''[(dict(__class__=1).items()|list|first)[0]] }}", "C"],
    ["{{ ''[dict(__class__=1)|dictsort|first|first] }}", "C"],
    ["{{ ''[dict(__class__=1)|random] }}", "C"],
    ["{{ ''[dict(__cla=1, ss__=2).keys()|join] }}", "C"],
    ["{% for key in dict(__class__=1) %}{{ ''[key] }}{% endfor %}", "C"],
    ["{% macro m() %}__class__{% endmacro %}{{ ''[m()] }}", "C"],
    ["{% macro m() %}{{ ''[caller()] }}{% endmacro %}{% call m() %} __class__ {% endcall %}", "C"],
    ["{% macro m(a) %}__cla{{ a }}{% endmacro %}{{ ''[m('ss__')] }}", "W"],
    ["{% set x %}__cla{{ 'ss' }}__{% endset %}{{ ''[x] }}", "W"],
  ];
  for (const [template, expected] of table) {
    await t.step(template, () => assert.equal(verdict(checkTemplate(template)), expected));
  }
  await t.step("harmless ones", () => {
    const template = `{% macro m(x) %}__init__ is a method: {{ x }}{% endmacro %}
      {% call m(x=1) %}text{% endcall %}{{ dict(role='user', content=x).items()|list }}
      __class__ {% set y %}text{% endset %} __class__`;
    assert.deepEqual(checkTemplate(template), []);
  });
});

Deno.test("evasion 78: a template that takes all memory or does not end is a warning", async (t) => {
  const nested = (count: string) =>
    `{% for i in range(${count}) %}{% for j in range(${count}) %}x{% endfor %}{% endfor %}`;
  const bombs = [
    "{% for i in range(10**9) %}x{% endfor %}",
    "{% for i in range(0, 10000000, 2) %}x{% endfor %}",
    "{% set n = 10000000 %}{% for i in range(n) %}x{% endfor %}",
    nested("99999"),
    "{% for i in range(99) %}{% for m in messages %}" + nested("999") + "{% endfor %}{% endfor %}",
    "{{ 'x' * 10**9 }}",
    "{{ 1000000000 * 'ab' }}",
    "{{ [0] * 10000000 }}",
    "{{ ('x' ~ name) * 10000000 }}",
    "{{ 9 ** 999999999 }}",
    "{{ 'x'.center(10**10) }}",
    "{{ name|indent(99999999) }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '%-999999999s'|format(1) }}",
    "{{ '{:>999999999}'.format(1) }}",
    "{{ lipsum(n=10**7) }}",
  ];
  for (const template of bombs) {
    await t.step(template, () => {
      const found = checkTemplate(template);
      assert.deepEqual(found.map(({ severity, ruleCode }) => `${severity} ${ruleCode}`), [
        "warning S902",
      ]);
    });
  }
  const ordinary = [
    "{% for i in range(99) %}x{% endfor %}{% for i in range(1, 9999, 2) %}x{% endfor %}",
    "{% for m in messages %}{% for i in range(m.content|length) %}x{% endfor %}{% endfor %}",
    nested("999"),
    nested("99") + nested("999"),
    "{{ '-' * 80 }}{{ size / 1000000000 }}{{ seconds * 1000000000 }}{{ 2 ** 63 }}",
    "{{ '%05d'|format(1) }}{{ '{:>20}'.format(name) }}{{ name|indent(4) }}{{ timeout|default(86400000) }}",
    "{{ '%20Y1234567' }}{{ 'a 100% 12345678' }}",
  ];
  for (const template of ordinary) {
    await t.step(template, () => assert.deepEqual(checkTemplate(template), []));
  }
});
