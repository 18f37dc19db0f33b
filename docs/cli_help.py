"""A directive that shows the help of a command, as the code at hand prints it.

``.. trueval-help:: split`` becomes the output of ``trueval split --help``.
"""


def help_of(words):
    """Help of a command, 80 columns wide."""
    import click

    from trueval.cli.app import cli

    ctx = click.Context(cli, info_name="trueval", terminal_width=80, **cli.context_settings)
    command = cli
    for word in words:
        command = command.get_command(ctx, word)
        ctx = click.Context(command, info_name=word, parent=ctx, **command.context_settings)
    return command.get_help(ctx)


def setup(app):
    """Tell Sphinx of the directive."""
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class TruevalHelp(Directive):
        required_arguments = 1
        final_argument_whitespace = True

        def run(self):
            words = self.arguments[0].split()
            text = f"$ {' '.join(['trueval', *words])} --help\n\n{help_of(words)}"
            block = nodes.literal_block(text, text)
            block["language"] = "none"
            return [block]

    app.add_directive("trueval-help", TruevalHelp)
    return {"parallel_read_safe": True}
