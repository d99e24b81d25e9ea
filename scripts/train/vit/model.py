"""ViT (Dosovitskiy et al. 2021) with a classifier, its modules named as Hugging Face's ViTForImageClassification names them."""

import torch
from torch import Tensor, nn

CONFIG = {
    "architectures": ["ViTForImageClassification"],
    "model_type": "vit",
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 128,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-6,
    "qkv_bias": True,
    "image_size": 28,
    "patch_size": 4,
    "num_channels": 1,
    "id2label": {str(digit): str(digit) for digit in range(10)},
    "label2id": {str(digit): digit for digit in range(10)},
}


class Patches(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        size = config["patch_size"]
        self.projection = nn.Conv2d(config["num_channels"], config["hidden_size"], size, size)


class Embeddings(nn.Module):
    """Images [batch, 1, 28, 28] -> [batch, 1 + patches, d_model]: a class vector, then the patches row by row."""

    def __init__(self, config: dict) -> None:
        super().__init__()
        width, patches = config["hidden_size"], (config["image_size"] // config["patch_size"]) ** 2
        self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
        self.position_embeddings = nn.Parameter(torch.zeros(1, patches + 1, width))
        self.patch_embeddings = Patches(config)

    def forward(self, images: Tensor) -> Tensor:
        weight = self.patch_embeddings.projection.weight
        size = weight.shape[-1]
        parts = images.unfold(2, size, size).unfold(3, size, size).permute(0, 2, 3, 1, 4, 5)
        patches = nn.functional.linear(
            parts.reshape(len(images), -1, weight[0].numel()),
            weight.flatten(1),
            self.patch_embeddings.projection.bias,
        )
        first = self.cls_token.expand(len(images), -1, -1)
        return torch.cat([first, patches], 1) + self.position_embeddings


class SelfAttention(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        width = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """[batch, time, d_model] -> the same, and weights [batch, heads, time, time]."""
        batch, time, width = x.shape
        q, k, v = (
            part(x).view(batch, time, self.heads, -1).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        weights = (q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5).softmax(-1)
        return (weights @ v).transpose(1, 2).reshape(x.shape), weights


class Dense(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.dense = nn.Linear(inputs, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.dense(x)


class Attention(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.output = Dense(config["hidden_size"], config["hidden_size"])


class Layer(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        width, d_ff, eps = (
            config[name] for name in ("hidden_size", "intermediate_size", "layer_norm_eps")
        )
        self.attention = Attention(config)
        self.intermediate = Dense(width, d_ff)
        self.output = Dense(d_ff, width)
        self.layernorm_before = nn.LayerNorm(width, eps)
        self.layernorm_after = nn.LayerNorm(width, eps)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        attended, weights = self.attention.attention(self.layernorm_before(x))
        x = x + self.attention.output(attended)
        inner = nn.functional.gelu(self.intermediate(self.layernorm_after(x)))
        return x + self.output(inner), weights


class Encoder(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))


class Body(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        self.embeddings = Embeddings(config)
        self.encoder = Encoder(config)
        self.layernorm = nn.LayerNorm(config["hidden_size"], config["layer_norm_eps"])


class DigitModel(nn.Module):
    def __init__(self, config: dict = CONFIG) -> None:
        super().__init__()
        self.vit = Body(config)
        self.classifier = nn.Linear(config["hidden_size"], len(config["id2label"]))
        for name, parameter in self.named_parameters():
            if "layernorm" not in name:
                nn.init.zeros_(parameter)
            if "layernorm" not in name and parameter.dim() > 1:
                nn.init.trunc_normal_(parameter, std=0.06 if parameter.dim() == 2 else 0.1)

    def details(self, images: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Logits [batch, 10], and of each layer its attention weights [batch, heads, time, time]."""
        x, attentions = self.vit.embeddings(images), []
        for layer in self.vit.encoder.layer:
            x, weights = layer(x)
            attentions.append(weights)
        return self.classifier(self.vit.layernorm(x[:, 0])), attentions

    def forward(self, images: Tensor) -> Tensor:
        return self.details(images)[0]
