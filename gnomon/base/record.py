"""Small classes with fields. What `dataclasses` makes is compiled when the class is, which took longer than all else in some modules."""


class Record:
    """A class whose annotated names are its fields, which never change: compared, hashed and printed by them."""

    fields: tuple = ()

    def __init_subclass__(cls):
        cls.fields = (*cls.fields, *cls.__dict__.get("__annotations__", ()))

    def __init__(self, *values, **named):
        given = dict(zip(self.fields, values)) | named
        known = self.__dict__
        for name in self.fields:
            known[name] = given.pop(name) if name in given else getattr(type(self), name, MISSING)
            if known[name] is MISSING:
                raise TypeError(f"{type(self).__name__} needs {name}.")
        if given or len(values) > len(self.fields):
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(self.fields)}, and was given "
                            f"{', '.join(given) or f'{len(values)} values'}.")

    def replace(self, **changes):
        """One like it, but for some fields."""
        return type(self)(**self.__dict__ | changes)

    def __setattr__(self, name, value):
        raise AttributeError(f"a {type(self).__name__} does not change; make another one with the {name} wanted.")

    def __eq__(self, other):
        return self.__dict__ == other.__dict__ if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self):
        return hash(tuple(self.__dict__.values()))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


MISSING = object()
